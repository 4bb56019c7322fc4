-- A commit of a daemon that has claimed the session and knows that it is there, and who else has claimed it: nobody that it does not tell. Nothing but
-- HMGET and HSET, and now and then PEXPIRE: who sets the access without it keeps all others from it, for they see by the access whether it is time.
-- ARGV: the claim that has to be there, the token of the version before, the field of the record, which has the next version in its name, the record, the time
-- of the access, the one claim of somebody else that is there too (empty: none). Answers 1, or 0 where nothing was done: the whole commit tells why.
local m = redis.call('HMGET', KEYS[1], 'h', 't', 'g', 'a', 'i')
if m[2] ~= ARGV[2] then return 0 end
local version, token = string.sub(ARGV[3], 3), string.sub(ARGV[4], 2, 5)
local function refresh_now_and_then()
  if string.sub(ARGV[5], 1, 9) == string.sub(m[4], 1, 9) then return end
  local seconds, idle = 2592000, tonumber(m[5])
  if idle >= 0 and idle + 300 < seconds then seconds = idle + 300 end
  redis.call('PEXPIRE', KEYS[1], seconds * 1000)
end
if ARGV[6] == '' and m[1] == ARGV[1] or m[1] == ARGV[1] and m[3] == ARGV[6] then
  redis.call('HSET', KEYS[1], 'v', version, 't', token, 'a', ARGV[5], ARGV[3], ARGV[4])
  refresh_now_and_then()
  return 1
end
-- Where the other has committed last the two claims change their places: who reads the session now has to wait for those in the second. One that has
-- ended has no claims in the first.
local all = ARGV[6] ~= '' and m[1] and m[1] ~= '' and m[1] .. (m[3] or '')
if not all or all ~= ARGV[1] .. ARGV[6] and all ~= ARGV[6] .. ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'v', version, 't', token, 'a', ARGV[5], ARGV[3], ARGV[4], 'h', ARGV[1], 'g', ARGV[6])
refresh_now_and_then()
return 1
