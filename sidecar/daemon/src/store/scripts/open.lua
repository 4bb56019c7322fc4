-- ARGV: version held, its token. Answers 1 and a listing, 0 where there is none, -1 and the forward where it has ended.
if ended then return {-1, m[8]} end
if not exists then return {0} end
local answer = listing(1, tonumber(ARGV[1]), ARGV[2])
-- A store that is full still answers; one that is read-only must not seem to work.
local accessed = redis.pcall('HSET', key, 'a', now)
if type(accessed) == 'table' and accessed.err and not string.find(accessed.err, 'OOM', 1, true) then return accessed end
refresh()
return answer
