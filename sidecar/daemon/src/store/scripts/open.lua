-- ARGV: version held, its token, and perhaps 1 if it is no access. Answers 1 and a listing, 0 where there is none, -1 and the forward where it has ended,
-- 4 and the claim of somebody else, 6 and a listing where the store is too full for the access and the claim.
if ended then return gone() end
if not exists then return nothing() end
if sole then return {4, sole} end
-- Who wants it alone ends what is shared.
if #who > 6 and not is_shared(who) then take_over() end
local answer = listing(1, tonumber(ARGV[1]), ARGV[2])
-- Written whenever asked: by that a store that is not the primary any more, and lags, is found out.
local accessed
local access = ARGV[3] and m[4] or now
local holding, over, changed = claims()
if changed then
  accessed = redis.pcall('HSET', key, 'a', access, 'h', holding, 'g', over)
else
  accessed = redis.pcall('HSET', key, 'a', access)
end
if type(accessed) == 'table' and accessed.err then
  -- A store that is full, or its disk, still answers; one that is read-only must not seem to work.
  if not is_full(accessed) then return accessed end
  answer[1] = 6
end
-- One that takes no writes at all refuses this, too, and has refused the access before.
if not ARGV[3] then pcall(refresh_now_and_then) end
return answer
