-- ARGV: how often it has moved as far as the asker knows; 1 to take a session that lives, else only one is answered that was taken already.
-- A session goes to another store: from now on it has ended here. What it takes to write it there is kept for five minutes, which is less than a
-- tombstone lives: whoever ends it there in this time leaves one that is there for longer, and it cannot come back from here.
-- Answers 1, its sealed name, how often it has moved, how long ago it was used (ms), and a listing of the whole; 2 where it is gone to another store; 0 where
-- there is none; 3 where one lives and is not to be taken; -1 and the forward where it has ended; 4 and the claim of somebody else, who has to let go first.
-- Of one that is over, and marked, listeners are told where it goes to, unless somebody is at it here.
local waits = is_over_and_marked()
if waits and (tonumber(string.sub(waits, 5)) or 0) <= tonumber(now) then ended = nil end
local moved = ended and tonumber(string.match(m[8] or '', '^%+(%d+)$'))
local moves
if moved and not m[2] then return {2} end
if moved then
  moves = math.max(moved, tonumber(ARGV[1]) + 1)
elseif ended then
  return {-1, m[8]}
elseif not version then
  return {0}
elseif ARGV[2] == '' then
  -- One that is over and not marked yet is none, as for who asked for it.
  return {exists and 3 or 0}
else
  -- Nobody goes by a claim any more, and its holder has told of the last access.
  local claimed = holders ~= '' and string.sub(holders, 1, 12) or going ~= '' and string.sub(going, 1, 12)
  if claimed then return {4, claimed} end
  moves = math.max(tonumber(redis.call('HGET', key, 'w') or '0'), tonumber(ARGV[1])) + 1
end
if moves ~= moved then
  redis.call('HSET', key, 'x', '+', 'f', '+' .. string.format('%d', moves))
  redis.call('HDEL', key, 'y')
  redis.call('PEXPIRE', key, 300000)
  -- Who goes through the index finds it until it has arrived.
  schedule(tonumber(now) + 300000)
end
return {1, redis.call('HGET', key, 'n') or '', moves, tonumber(now) - tonumber(m[4]), listing(1, 0, '')}
