-- ARGV: a token, after how many ms it is due. Has a session end as one that nobody used for too long: marked, so that its listeners are told. Answers 1; 0 where there is none that lives; 4 and the claim
-- of somebody else, who goes by that and has to let go first.
-- The answer was lost, or not believed.
if ended == ARGV[1] then return {1} end
if not exists then return {0} end
local claimed = holders ~= '' and string.sub(holders, 1, 12) or going ~= '' and string.sub(going, 1, 12)
if claimed then return {4, claimed} end
redis.call('HSET', key, 'x', ARGV[1], 'y', '1')
redis.call('PEXPIRE', key, 600000)
schedule(tonumber(now) + tonumber(ARGV[2]))
return {1}
