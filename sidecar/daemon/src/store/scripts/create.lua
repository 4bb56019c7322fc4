-- ARGV: version, record, snapshot, idle, created, sealed name. Answers 1 and the version, 2 and a listing where there is one already,
-- -1 and the forward where it has ended, 4 and the claim of somebody else.
if ended then return gone() end
if exists and sole then return {4, sole} end
if exists then return listing(2, 0, '') end
if version then redis.call('UNLINK', key) end
redis.call('HSET', key, 'v', ARGV[1], 't', token_of(ARGV[2]), 'c', ARGV[5], 'a', now, 'i', ARGV[4],
  's', ARGV[3], 'sv', ARGV[1], 'o', ARGV[1], 'r:' .. ARGV[1], ARGV[2])
if ARGV[6] ~= '' then redis.call('HSET', key, 'n', ARGV[6]) end
idle = tonumber(ARGV[4])
refresh()
if #who > 6 then redis.call('HSET', key, 'h', who) end
schedule(idle >= 0 and tonumber(now) + idle * 1000)
return {1, tonumber(ARGV[1])}
