-- ARGV: the claim to let go of, the claim that takes its place (empty: none), how long ago the last access was in ms (empty: the
-- store knows it). Answers 1, or 0 where there is no such claim.
-- Even of one that seems to be over: this access may say that it is not.
if version and not ended and ARGV[3] ~= '' then
  local accessed = tonumber(now) - tonumber(ARGV[3])
  -- A store that is full lets go all the same.
  if accessed > tonumber(m[4]) then redis.pcall('HSET', key, 'a', string.format('%.0f', accessed)) end
  refresh()
end
if holder ~= ARGV[1] then return 0 end
redis.call('HDEL', key, 'h')
if ARGV[2] ~= '' then redis.pcall('HSET', key, 'h', ARGV[2]) end
return 1
