-- ARGV: a token, after how many ms it is due again, 1 to mark what is over.
-- Answers 1 and the sealed name of one whose listeners are to be told, 0 where there is nothing to do, 4 and the claim of
-- somebody else.
local waits = ended and redis.call('HGET', key, 'y')
if not version or (ended and not waits) or (not ended and idle < 0) then
  -- Gone, ended, or without end.
  schedule(nil)
  return {0}
end
if exists then
  -- Used since: due when it is over if nobody uses it again.
  schedule(tonumber(m[4]) + idle * 1000 + 1)
  return {0}
end
-- Until then somebody tells its listeners: in the mark, once it was taken up.
local taken = waits and tonumber(string.sub(waits, 5)) or 0
if taken > tonumber(now) then
  schedule(taken)
  return {0}
end
-- Its holders may know of an access that we do not: they let go of it, and tell.
local claimed = holders ~= '' and string.sub(holders, 1, 12) or going ~= '' and string.sub(going, 1, 12)
if claimed and not waits and ARGV[3] == '1' then return {4, claimed} end
schedule(tonumber(now) + tonumber(ARGV[2]))
if ARGV[3] ~= '1' then return {0} end
if not waits then
  redis.call('HSET', key, 'x', ARGV[1], 'y', '1')
  -- Once: one whose listeners nobody knows goes for good after that.
  redis.call('PEXPIRE', key, 600000)
end
return {1, redis.call('HGET', key, 'n') or ''}
