-- ARGV: version, record, snapshot, idle, created, sealed name, the time since its last access (ms), and the version and token
-- that this one takes the place of (empty: of none), the tokens of the versions before it, and how often it has moved between stores (empty: it does not
-- come from another one). Puts back what the store has lost, or what comes.
-- Answers 8, the version, the claims that have to be let go of before anybody is told of it, and 0; 0 where it is over, 2 and a listing where there is another one, -1 and the forward where it has ended, 4 and the
-- claim of somebody else.
-- Who went from here comes back later than that, or else it is an old copy that comes late.
local moved = ended and ARGV[11] ~= '' and tonumber(string.match(m[8] or '', '^%+(%d+)$'))
if ended and not (moved and moved < tonumber(ARGV[11])) then return gone() end
-- One that nobody used for too long is no loss; what comes from another store is later than that.
if version and not ended and not exists and ARGV[11] == '' then return {0} end
if exists and sole then return {4, sole} end
if exists and not (m[1] == ARGV[8] and m[2] == ARGV[9]) then return listing(2, 0, '') end
-- Before anything goes: a store that is full refuses this.
redis.call('HSET', key, 'v', ARGV[1])
redis.call('UNLINK', key)
local accessed = string.format('%.0f', tonumber(now) - tonumber(ARGV[7]))
redis.call('HSET', key, 'v', ARGV[1], 't', token_of(ARGV[2]), 'c', ARGV[5], 'a', accessed, 'i', ARGV[4],
  's', ARGV[3], 'sv', ARGV[1], 'o', ARGV[1], 'r:' .. ARGV[1], ARGV[2])
if ARGV[6] ~= '' then redis.call('HSET', key, 'n', ARGV[6]) end
if ARGV[10] ~= '' then redis.call('HSET', key, 'p', ARGV[10]) end
if ARGV[11] ~= '' then redis.call('HSET', key, 'w', ARGV[11]) end
idle = tonumber(ARGV[4])
refresh()
schedule(idle >= 0 and tonumber(accessed) + idle * 1000)
take_over()
if going ~= '' then redis.call('HSET', key, 'g', going) end
return {8, tonumber(ARGV[1]), going, 0}
