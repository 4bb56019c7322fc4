-- ARGV: how often a session has moved that is, or will be, in another store. Leaves word of that, for those who come for it here.
-- Answers 1; 0 where there is one, or where it has ended, or has moved more often.
local moves = ended and tonumber(string.match(m[8] or '', '^%+(%d+)$'))
if version and not (moves and moves <= tonumber(ARGV[1])) then return 0 end
-- Before anything goes: a store that is full refuses this.
redis.call('HSET', key, 'x', '+', 'f', '+' .. ARGV[1])
redis.call('UNLINK', key)
redis.call('HSET', key, 'v', (version or 0) + 1, 'x', '+', 'f', '+' .. ARGV[1])
redis.call('PEXPIRE', key, 600000)
schedule(nil)
return 1
