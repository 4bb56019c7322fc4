-- KEYS: the index of a shard. ARGV: how many, and for how long they are due at least (ms). Answers for how long the first has been due (ms), and the digests of
-- sessions that may be over, the longest due first.
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
local first = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1)
if not first[2] then return {0} end
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', tonumber(now) - tonumber(ARGV[2]), 'LIMIT', 0, ARGV[1])
table.insert(due, 1, tonumber(now) - tonumber(first[2]))
return due
