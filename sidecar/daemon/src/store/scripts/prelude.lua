-- What every script on a session begins with: its key, and perhaps the index of its shard as a second one. Nothing but HMGET,
-- HGET, HSET, HDEL, HSTRLEN, PEXPIRE, UNLINK, ZADD, ZREM and TIME. After a script's own arguments come two more: who asks (a
-- node, or a claim to make, which begins with its node), and a claim that is void (empty: none).
local key = KEYS[1]
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
local last = #ARGV
local who, void = ARGV[last - 1], ARGV[last]
ARGV[last - 1], ARGV[last] = nil, nil
local m = redis.call('HMGET', key, 'v', 't', 'c', 'a', 'i', 'sv', 'x', 'f', 'o', 'h')
local version, idle = tonumber(m[1]), tonumber(m[5])
-- A store that is full takes no tombstone but lets fields go: a session without an idle time has ended too.
local ended = m[7] or (version and not idle and '')
local holder = m[10]
-- Idle too long is over, though the key is still there for five minutes.
local exists = version and idle and not ended
  and (idle < 0 or tonumber(now) - tonumber(m[4]) <= idle * 1000)
-- Somebody else has claimed it: he is asked to let go before anything is done.
local claimed = holder and string.sub(holder, 1, 6) ~= string.sub(who, 1, 6) and holder ~= void

local function refresh()
  local seconds = 2592000
  if idle >= 0 and idle + 300 < seconds then seconds = idle + 300 end
  redis.call('PEXPIRE', key, seconds * 1000)
end

-- Keys live for five minutes more than their session: that they are told of an access every ten seconds is enough.
local function refresh_now_and_then()
  if string.sub(now, 1, 9) ~= string.sub(m[4], 1, 9) then refresh() end
end

-- Makes the claim that is asked for, or takes away the void one.
local function claim()
  if #who > 6 then
    redis.call('HSET', key, 'h', who)
  elseif holder and holder == void then
    redis.call('HDEL', key, 'h')
  end
end

-- Puts the session into the index of what may be over, or takes it out.
local function schedule(due)
  if due then
    redis.call('ZADD', KEYS[2], due, string.sub(key, -40))
    redis.call('PEXPIRE', KEYS[2], 2592000000)
  else
    redis.call('ZREM', KEYS[2], string.sub(key, -40))
  end
end

local function token_of(record)
  return string.sub(record, 2, 5)
end

-- Everything that a reader lacks who holds a version and its token: the records since, or the snapshot and the
-- records since that. A version is known by its token, for the store may have lost it and given it away again.
local function listing(status, held, token)
  local known = held == version and token == m[2]
  if not known and held > 0 and held < version then
    local record = redis.call('HGET', key, 'r:' .. held)
    known = record and token_of(record) == token
  end
  local since = known and held or tonumber(m[6])
  local snapshot = false
  if not known then
    -- With the token of its version, by which a reader that held something else sees where the two parted.
    local record = redis.call('HGET', key, 'r:' .. m[6])
    snapshot = {redis.call('HGET', key, 's'), record and token_of(record) or ''}
  end
  local answer = {status, version, m[2], m[3], m[4], idle, m[6], since, snapshot}
  for n = since + 1, version do
    answer[#answer + 1] = redis.call('HGET', key, 'r:' .. n)
  end
  return answer
end
