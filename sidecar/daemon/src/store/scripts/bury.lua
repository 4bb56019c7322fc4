-- ARGV: a token, the digest to forward to (may be empty), 1 to leave it in the place of a mark too (else empty). Leaves a tombstone whatever is there: the
-- session is known to have ended. Answers 1 if there was none, 2 if there is one with this token, 0 if there is another, or a mark. One that has expired is
-- there for its listeners: who only knows that it is over leaves it to them, and who has ended it by hand has told them.
if ended and not (ARGV[3] ~= '' and is_over_and_marked()) then return ended == ARGV[1] and 2 or 0 end
-- Before anything goes: a store that is full refuses this.
redis.call('HSET', key, 'x', ARGV[1])
redis.call('UNLINK', key)
redis.call('HSET', key, 'v', (version or 0) + 1, 'x', ARGV[1])
if ARGV[2] ~= '' then redis.call('HSET', key, 'f', ARGV[2]) end
redis.call('PEXPIRE', key, 600000)
schedule(nil)
return 1
