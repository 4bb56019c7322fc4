-- ARGV: base, its token (empty: the daemon does not hold the session), record, 1 if it only applies to the base,
-- idle (empty: as it was), the claim that has to be there (empty: none), how many versions it makes, and, if more than one, the
-- record of those before the last (else empty), 1 if it is no access (else empty), and perhaps a snapshot and how many records before it stay.
-- The index comes along as a second key where the idle time may change.
-- Answers 8, the version, the claims that have to be let go of before anybody is told of it, and 1 if the asker still has a claim of his own; 3
-- and a listing of what others did before this commit; 2 and a listing where it was refused, 7 and a listing where it has happened already; 0 where there
-- is no session; -1 and the forward where it has ended; 4 and the claim of somebody else; 5 where the claim is gone that has to be
-- there.
if ended then return gone() end
if not exists then return nothing() end
local base = tonumber(ARGV[1])
local blind = ARGV[2] == ''
local token = token_of(ARGV[3])
local current = base == version and (blind or ARGV[2] == m[2])
local answer

local function done(at)
  return {8, at, going, own ~= '' and 1 or 0}
end

if not current then
  -- A commit whose answer was lost comes again: its record is there, or its token where the record has gone into a snapshot since.
  local oldest, made = tonumber(m[9]), nil
  local folded = base + 1 < oldest and redis.call('HGET', key, 'p') or ''
  for n = math.max(base + 1, oldest - #folded / 4), oldest - 1 do
    local at = 4 * (n - oldest)
    if string.sub(folded, at, at + 3) == token then made = n end
  end
  for n = math.max(base + 1, oldest), version do
    local record = redis.call('HGET', key, 'r:' .. n)
    if record and token_of(record) == token then
      made = n
      break
    end
  end
  if made and blind then return done(made) end
  if made then return listing(7, base, ARGV[2]) end
end
if ARGV[6] ~= '' and m[10] ~= ARGV[6] then return {5} end
if sole then return {4, sole} end
if not current and not blind and ARGV[4] == '1' then
  return listing(2, base, ARGV[2])
end
take_over()
if not current and not blind then answer = listing(3, base, ARGV[2]) end

local n = version + tonumber(ARGV[7])
for between = version + 1, n - 1 do
  redis.call('HSET', key, 'r:' .. between, ARGV[8])
end
local access = ARGV[9] == '' and now or m[4]
local snapshot = current and ARGV[10]
-- Text: numbers are turned into it the long way.
local text = string.format('%d', n)
local holding, over, changed = claims()
if changed then
  redis.call('HSET', key, 'v', text, 't', token, 'a', access, 'r:' .. text, ARGV[3], 'h', holding, 'g', over)
else
  redis.call('HSET', key, 'v', text, 't', token, 'a', access, 'r:' .. text, ARGV[3])
end
if ARGV[5] ~= '' and tonumber(ARGV[5]) ~= idle then
  idle = tonumber(ARGV[5])
  redis.call('HSET', key, 'i', ARGV[5])
  schedule(idle >= 0 and tonumber(access) + idle * 1000)
  refresh()
elseif ARGV[9] == '' then
  refresh_now_and_then()
end
if snapshot then
  redis.call('HSET', key, 's', snapshot, 'sv', n)
  local oldest, cut = tonumber(m[9]), n - 1 - tonumber(ARGV[11])
  local bytes = 0
  for old = n - 1, math.max(cut + 1, oldest), -1 do
    bytes = bytes + redis.call('HSTRLEN', key, 'r:' .. old)
    if bytes > #snapshot / 2 then
      cut = old
      break
    end
  end
  if cut >= oldest then redis.call('HSET', key, 'p', trail(cut)) end
  with_records(oldest, cut, function(fields) redis.call('HDEL', key, unpack(fields)) end)
  redis.call('HSET', key, 'o', math.max(oldest, cut + 1))
end
return answer or done(n)
