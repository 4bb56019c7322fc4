-- A commit of a daemon that has claimed the session and knows that it is there, and who else has claimed it: nobody that it does not tell. Nothing but
-- HMGET, TIME and HSET, and now and then PEXPIRE: who sets the access without it keeps all others from it, for they see by the access whether it is time.
-- ARGV: the claim that has to be there, the token of the version before, and the one claim of somebody else that is there too, if there is one, one after
-- another; the record; the time of the access, where the store does not know of one in the same second. Answers 1, or 0 where nothing was done: the whole
-- commit tells why. A store that hung comes to it late: by then the session may be over, or have ended with a claim in it that is void.
local own, before, other = string.sub(ARGV[1], 1, 12), string.sub(ARGV[1], 13, 16), string.sub(ARGV[1], 17)
local record, access = ARGV[2], ARGV[3]
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
return 1
