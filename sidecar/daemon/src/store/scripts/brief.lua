-- A commit of a daemon that has claimed the session and knows that it is there, and who else has claimed it: nobody that is not told. Nothing but
-- HMGET, TIME, HSET and PUBLISH, and now and then PEXPIRE: who sets the access without it keeps all others from it, for they see by the access whether it is
-- time. ARGV: one after another the claim that has to be there, the token of the version before, what follows (0: nothing; 1: the one claim of somebody else
-- that is there too; 2: that, and the flags of the news which his daemon is told), and the record; the time of the access, where the store does not know of
-- one in the same second. Answers 1, or 0 where nothing was done: the whole commit tells why. A store that hung comes to it late: by then the session may be
-- over, or have ended with a claim in it that is void.
local said, access = ARGV[1], ARGV[2]
local own, before, follows = string.sub(said, 1, 12), string.sub(said, 13, 16), string.byte(said, 17)
local other, flags, at = '', false, 18
if follows > 0 then other, at = string.sub(said, 18, 29), 30 end
if follows > 1 then flags, at = string.sub(said, 30, 30), 31 end
local record = string.sub(said, at)
local m = redis.call('HMGET', KEYS[1], 'v', 't', 'h', 'g', 'x', 'a', 'i')
if m[2] ~= before or m[5] then return 0 end
local time, idle = redis.call('TIME'), tonumber(m[7])
if idle >= 0 and time[1] * 1000 + math.floor(time[2] / 1000) - m[6] > idle * 1000 then return 0 end
local holding, going = m[3] or '', m[4] or ''
local as_it_was = holding == own and (other == '' or going == other)
-- Where the other has committed last the two claims change their places: who reads the session now has to wait for those in the second. One that has
-- ended has no claims in the first.
local both = holding ~= '' and other ~= '' and holding .. going
if not as_it_was and (not both or both ~= own .. other and both ~= other .. own) then return 0 end
local version = string.format('%d', m[1] + 1)
redis.call('HSET', KEYS[1], 'v', version, 't', string.sub(record, 2, 5), 'r:' .. version, record)
if not as_it_was then redis.call('HSET', KEYS[1], 'h', own, 'g', other) end
if access then
  redis.call('HSET', KEYS[1], 'a', access)
  if string.sub(access, 1, 9) ~= string.sub(m[6], 1, 9) then
    local seconds = 2592000
    if idle >= 0 and idle + 300 < seconds then seconds = idle + 300 end
    redis.call('PEXPIRE', KEYS[1], seconds * 1000)
  end
end
if flags then
  local channel = string.format('sj:%s%02x%02x%02x%02x%02x%02x', string.sub(KEYS[1], 9, -41), string.byte(other, 1, 6))
  -- It is done: whom that does not reach is told by its daemon.
  redis.pcall('PUBLISH', channel, 'news ' .. string.sub(KEYS[1], -40) .. other .. own .. before .. flags .. m[1] .. ' ' .. record)
end
return 1
