-- A commit of a daemon that has claimed the session and knows that it is there, and who else has claimed it: nobody that it does not tell. Nothing but
-- HMGET and HSET; the access is told later, and with it how long the key lives: scripts that set the one see by the other whether they have to.
-- ARGV: the claim that has to be there, the token of the version before, the field of the record, which has the next version in its name, the record, the
-- one claim of somebody else that is there too (empty: none). Answers 1, or 0 where nothing was done: the whole commit tells why.
local m = redis.call('HMGET', KEYS[1], 'h', 't', 'g')
if m[2] ~= ARGV[2] then return 0 end
local version, token = string.sub(ARGV[3], 3), string.sub(ARGV[4], 2, 5)
if ARGV[5] == '' and m[1] == ARGV[1] or m[1] == ARGV[1] and m[3] == ARGV[5] then
  redis.call('HSET', KEYS[1], 'v', version, 't', token, ARGV[3], ARGV[4])
  return 1
end
-- Where the other has committed last the two claims change their places: who reads the session now has to wait for those in the second. One that has
-- ended has no claims in the first.
local all = ARGV[5] ~= '' and m[1] and m[1] ~= '' and m[1] .. (m[3] or '')
if not all or all ~= ARGV[1] .. ARGV[5] and all ~= ARGV[5] .. ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'v', version, 't', token, ARGV[3], ARGV[4], 'h', ARGV[1], 'g', ARGV[5])
return 1
