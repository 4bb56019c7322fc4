-- ARGV: a token, after how many ms it is due again, and after how many where it is marked now (empty: it is not to be).
-- Answers 2 where it has been marked, and all daemons are to hear of that; 1 and the sealed name of one that was, and which nobody has taken up; 0 where
-- there is nothing to do; 4 and the claim of somebody else.
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
if claimed and not waits and ARGV[3] ~= '' then return {4, claimed} end
local marks = ARGV[3] ~= '' and not waits
schedule(tonumber(now) + tonumber(marks and ARGV[3] or ARGV[2]))
if ARGV[3] == '' then return {0} end
if not marks then return {1, redis.call('HGET', key, 'n') or ''} end
redis.call('HSET', key, 'x', ARGV[1], 'y', '1')
-- Once: one whose listeners nobody knows goes for good after that.
redis.call('PEXPIRE', key, 600000)
return {2}
