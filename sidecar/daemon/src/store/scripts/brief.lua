-- A commit of a daemon that has claimed the session and knows that it is there, and who else has claimed it: nobody that is not told. Nothing but
-- HMGET, TIME, HSET and PUBLISH, and now and then PEXPIRE: who sets the access without it keeps all others from it, for they see by the access whether it is
-- time. ARGV: one after another the tail of the claim that has to be there, the token of the version before, what follows (bits; 1: the tail of the one claim of
-- somebody else that is there too; 2: the flags of the news which his daemon is told; 4: nothing, the store does not know of an access in the same second), and
-- the record. Answers 1, or 0 where nothing was done: the whole commit tells why. A store that hung comes to it late: by then the session may be
-- over, or have ended with a claim in it that is void.
local said = ARGV[1]
local own, before, follows = string.sub(said, 1, 8), string.sub(said, 9, 12), string.byte(said, 13)
local other, flags, at = '', false, 14
if follows % 2 > 0 then other, at = string.sub(said, 14, 21), 22 end
if follows % 4 > 1 then flags, at = string.sub(said, 22, 22), 23 end
local record = string.sub(said, at)
local m = redis.call('HMGET', KEYS[1], 'v', 't', 'h', 'g', 'x', 'a', 'i')
if m[2] ~= before or m[5] then return 0 end
local time, idle = redis.call('TIME'), tonumber(m[7])
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
if idle >= 0 and now - m[6] > idle * 1000 then return 0 end
local function is(claim, tail) return string.sub(claim, 5) == tail end
local mine, theirs = m[3] or '', m[4] or ''
local as_it_was = is(mine, own) and (other == '' or is(theirs, other))
if not as_it_was then
  -- Where the other has committed last the two claims change their places: who reads the session now has to wait for those in the second. One that has
  -- ended has no claims in the first.
  local both = mine ~= '' and other ~= '' and mine .. theirs or ''
  mine, theirs = string.sub(both, 1, 12), string.sub(both, 13)
  if is(mine, other) then mine, theirs = theirs, mine end
  if not is(mine, own) or not is(theirs, other) then return 0 end
end
local version = string.format('%d', m[1] + 1)
redis.call('HSET', KEYS[1], 'v', version, 't', string.sub(record, 2, 5), 'r:' .. version, record)
if not as_it_was then redis.call('HSET', KEYS[1], 'h', mine, 'g', theirs) end
if follows > 3 then
  redis.call('HSET', KEYS[1], 'a', now)
  if string.sub(now, 1, 9) ~= string.sub(m[6], 1, 9) then
    local seconds = 2592000
    if idle >= 0 and idle + 300 < seconds then seconds = idle + 300 end
    redis.call('PEXPIRE', KEYS[1], seconds * 1000)
  end
end
if flags then
  local channel = string.format('sj:%s%02x%02x%02x%02x%02x%02x', string.sub(KEYS[1], 9, -41), string.byte(theirs, 1, 6))
  -- It is done: whom that does not reach is told by its daemon.
  redis.pcall('PUBLISH', channel, 'news ' .. string.sub(KEYS[1], -40) .. theirs .. mine .. before .. flags .. m[1] .. ' ' .. record)
end
return 1
