-- KEYS: the lease. ARGV: who, for how many ms; 0 gives it up. Answers 1 if it is theirs.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  if holder then redis.call('DEL', KEYS[1]) end
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
