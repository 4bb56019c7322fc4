-- What every script on a session begins with: its key, and perhaps the index of its shard as a second one. Nothing but HMGET,
-- HGET, HSET, HDEL, HSTRLEN, PEXPIRE, UNLINK, ZADD, ZREM and TIME. After a script's own arguments come two more: who asks (a
-- node, or a claim to make, which begins with its node), and the claims that are void. Claims lie one after another, 12 bytes each.
local key = KEYS[1]
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
local last = #ARGV
local who, void = ARGV[last - 1], ARGV[last]
ARGV[last - 1], ARGV[last] = nil, nil
local m = redis.call('HMGET', key, 'v', 't', 'c', 'a', 'i', 'sv', 'x', 'f', 'o', 'h', 'g')
local version, idle = tonumber(m[1]), tonumber(m[5])
-- A store that is full takes no tombstone but lets fields go: a session without an idle time has ended too.
local ended = m[7] or (version and not idle and '')
-- Idle too long is over, though the key is still there for five minutes.
local exists = version and idle and not ended
  and (idle < 0 or tonumber(now) - tonumber(m[4]) <= idle * 1000)

-- What others have of these claims, and what the asker's daemon has.
local function of_others(claims)
  local theirs, own = '', ''
  for at = 1, #claims, 12 do
    local claim = string.sub(claims, at, at + 11)
    if string.sub(claim, 1, 6) == string.sub(who, 1, 6) then
      own = own .. claim
    elseif not string.find(void, claim, 1, true) then
      theirs = theirs .. claim
    end
  end
  return theirs, own
end
local function is_shared(claim)
  return string.byte(claim, 9) >= 128
end
-- Who else has claimed it; and who had, was told that it is over, and has perhaps not heard of that.
local holders, own, going = '', '', ''
if m[10] then holders, own = of_others(m[10]) end
if m[11] then
  local kept
  going, kept = of_others(m[11])
  -- One of the asker's own has been kept: he would not ask by it else.
  own = own .. kept
end
-- Somebody else has it alone: he is asked to let go before anything is done.
local sole = holders ~= '' and not is_shared(holders) and holders

-- Shared claims are over, and stay known until their holders have heard of it.
local function take_over()
  going, holders = going .. holders, ''
end

-- The fields of claims as they have to be now, and whether that is something else than what is there.
local function claims()
  local holding = (#who > 6 and who or own) .. holders
  return holding, going, holding ~= (m[10] or '') or going ~= (m[11] or '')
end

local function refresh()
  local seconds = 2592000
  if idle >= 0 and idle + 300 < seconds then seconds = idle + 300 end
  redis.call('PEXPIRE', key, seconds * 1000)
end

-- Keys live for five minutes more than their session: that they are told of an access every ten seconds is enough.
local function refresh_now_and_then()
  if string.sub(now, 1, 9) ~= string.sub(m[4], 1, 9) then refresh() end
end

-- It has ended, and perhaps goes on under another name.
local function gone()
  take_over()
  return {-1, m[8], going}
end

-- Takes note of accesses of one that has not ended: how long ago the last was, and the first, of those that were not told before, and the longest time
-- between two of them (ms). One that seems to be over was not, where none came too late. Answers whether it lives.
local function used(last_ago, first_ago, gap)
  local known = tonumber(m[4])
  local first, last = tonumber(now) - first_ago, tonumber(now) - last_ago
  local unbroken = exists or (first - known <= idle * 1000 and tonumber(gap) <= idle * 1000)
  if not unbroken then return false end
  if last > known then
    redis.call('HSET', key, 'a', string.format('%.0f', last))
    known = last
  end
  refresh()
  return idle < 0 or tonumber(now) - known <= idle * 1000
end

-- Over by itself, and marked for its listeners; one that was ended by hand is not over. Answers the mark.
local function is_over_and_marked()
  return ended and idle and idle >= 0 and tonumber(now) - tonumber(m[4]) > idle * 1000 and redis.call('HGET', key, 'y')
end

-- Whether a write was refused for want of memory, or because the disk cannot be written: by a primary, for replicas refuse before they look at that.
local function is_full(refused)
  return string.find(refused.err, 'OOM', 1, true) or string.find(refused.err, 'MISCONF', 1, true)
end

-- There is no session, says a store that would take one: a replica that is only just getting its data says so of every session. One that is there and over
-- is so for a store that could be told of its accesses: who uses it is not logged out where those are refused.
local function nothing()
  local refused
  if version then refused = redis.pcall('HSET', key, 'a', m[4]) else refused = redis.pcall('HDEL', key, '-') end
  return type(refused) == 'table' and (version or not is_full(refused)) and refused or {0}
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

-- Does something with the fields of the records from one to another, as many at a time as a call takes.
local function with_records(first, last, what)
  for from = first, last, 256 do
    local fields = {}
    for n = from, math.min(from + 255, last) do fields[#fields + 1] = 'r:' .. n end
    what(fields)
  end
end

-- The tokens of the last versions up to this one, at most 16: what a version came from is known when its record is gone, too.
local function trail(at)
  local oldest = tonumber(m[9])
  local first = math.max(oldest, at - 15)
  local tokens = first == oldest and redis.call('HGET', key, 'p') or ''
  for n = first, at do
    local record = redis.call('HGET', key, 'r:' .. n)
    tokens = record and tokens .. token_of(record) or ''
  end
  return string.sub(tokens, -64)
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
    -- With what it came from, by which a reader that held something else sees where the two parted.
    snapshot = {redis.call('HGET', key, 's'), trail(tonumber(m[6]))}
  end
  -- Who has to let go before it may be told of what is answered here, and whether somebody else has claimed it too.
  local answer = {status, version, m[2], m[3], m[4], idle, m[6], since, snapshot, going, holders ~= '' and 1 or 0}
  with_records(since + 1, version, function(fields)
    local records = redis.call('HMGET', key, unpack(fields))
    for n = 1, #fields do answer[#answer + 1] = records[n] end
  end)
  return answer
end
