-- KEYS: the index of a shard. ARGV: how many. Answers the digests of sessions that may be over, the longest due first.
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
