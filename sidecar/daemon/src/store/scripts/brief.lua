-- A commit of the daemon that alone has claimed the session, which knows that it is there: nobody else can have changed it. Nothing but HMGET and
-- HSET; how long the key lives is told later.
-- ARGV: the claim that has to be there, the token of the version before, the field of the record, which has the next version in its name, the record, the time
-- of the access. Answers 1, or 0 where nothing was done: the whole commit tells why.
local m = redis.call('HMGET', KEYS[1], 'h', 't')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'v', string.sub(ARGV[3], 3), 't', string.sub(ARGV[4], 2, 5), 'a', ARGV[5], ARGV[3], ARGV[4])
return 1
