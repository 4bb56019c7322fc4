-- ARGV: a token, for how many ms nobody else may ask. Answers 1 and a listing of the whole session if it has expired and nobody
-- tells its listeners: from now on the asker does. 0 otherwise.
local mark = ended and redis.call('HGET', key, 'y')
local taken = mark and tonumber(string.sub(mark, 5)) or 0
-- The same token: asked again because the answer was lost.
if not mark or (taken > tonumber(now) and string.sub(mark, 1, 4) ~= ARGV[1]) then return {0} end
local due = tonumber(now) + tonumber(ARGV[2])
redis.call('HSET', key, 'y', ARGV[1] .. string.format('%.0f', due))
redis.call('PEXPIRE', key, 600000)
schedule(due)
return listing(1, 0, '')
