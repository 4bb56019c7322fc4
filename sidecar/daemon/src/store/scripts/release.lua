-- ARGV: the claim to let go of, the claim that takes its place (empty: none), and the accesses as for touch (empty: the
-- store knows them). Answers 1, or 0 where there is no such claim.
-- A store that is full lets go all the same.
if version and not ended and ARGV[3] ~= '' then pcall(used, ARGV[3], ARGV[4], ARGV[5]) end
-- What is left of a field of claims, and whether this one was among them.
local function without(field, claims)
  local at = claims and string.find(claims, ARGV[1], 1, true)
  if not at then return false end
  local rest = string.sub(claims, 1, at - 1) .. string.sub(claims, at + 12)
  if rest == '' then
    redis.call('HDEL', key, field)
  else
    redis.call('HSET', key, field, rest)
  end
  return true
end
without('g', m[11])
if not without('h', m[10]) then return 0 end
if ARGV[2] ~= '' and m[10] == ARGV[1] then redis.pcall('HSET', key, 'h', ARGV[2]) end
return 1
