-- KEYS: the index of a shard. ARGV: after how many ms, and digests of members that are due: they are due again then, unless they are due later still, or gone
-- by now.
local time = redis.call('TIME')
local now = tonumber(time[1] .. string.format('%03d', math.floor(time[2] / 1000)))
local due = string.format('%.0f', now + tonumber(ARGV[1]))
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', 'GT', due, ARGV[n]) end
return {}
