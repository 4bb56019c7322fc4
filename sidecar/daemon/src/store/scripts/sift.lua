-- KEYS: the index of a shard, and sessions that are in it. ARGV: after how many ms what is over is due again (empty: it is answered, and left as it is).
-- Puts back what lives, or is being told, takes out what is gone, ended or without end, and answers the digests of what is over. As reap does.
local time = redis.call('TIME')
local now = tonumber(time[1] .. string.format('%03d', math.floor(time[2] / 1000)))
local gone, back, over = {}, {}, {}
for n = 2, #KEYS do
  local digest = string.sub(KEYS[n], -40)
  local m = redis.call('HMGET', KEYS[n], 'v', 'a', 'i', 'x', 'y')
  local version, idle = tonumber(m[1]), tonumber(m[3])
  local ended = m[4] or not idle
  local due
  if version and ended and m[4] and m[5] then
    due = tonumber(string.sub(m[5], 5)) or 0
  elseif version and not ended and idle >= 0 then
    due = tonumber(m[2]) + idle * 1000 + 1
  end
  if due and due <= now and ARGV[1] == '' then
    over[#over + 1] = digest
  elseif due then
    back[#back + 1] = due > now and due or now + tonumber(ARGV[1])
    back[#back + 1] = digest
  else
    gone[#gone + 1] = digest
  end
end
if gone[1] then redis.call('ZREM', KEYS[1], unpack(gone)) end
if back[1] then
  redis.call('ZADD', KEYS[1], unpack(back))
  redis.call('PEXPIRE', KEYS[1], 2592000000)
end
return over
