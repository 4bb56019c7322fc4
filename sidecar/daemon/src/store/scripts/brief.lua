-- A commit of a daemon that has claimed the session and knows that it is there, and who else has claimed it: nobody that it does not tell. Nothing but
-- HMGET and HSET; how long the key lives is told later.
-- ARGV: the claim that has to be there, the token of the version before, the field of the record, which has the next version in its name, the record, the time
-- of the access, the one claim of somebody else that is there too (empty: none). Answers 1, or 0 where nothing was done: the whole commit tells why.
local m = redis.call('HMGET', KEYS[1], 'h', 't', 'g')
if m[2] ~= ARGV[2] then return 0 end
if ARGV[6] == '' then
  if m[1] ~= ARGV[1] then return 0 end
else
  -- Whichever of the two committed last, the other's is where those are that were told of it. One that has ended has no claims in the first.
  local all = m[1] and m[1] ~= '' and m[1] .. (m[3] or '')
  if all ~= ARGV[1] .. ARGV[6] and all ~= ARGV[6] .. ARGV[1] then return 0 end
end
redis.call('HSET', KEYS[1], 'v', string.sub(ARGV[3], 3), 't', string.sub(ARGV[4], 2, 5), 'a', ARGV[5], ARGV[3], ARGV[4])
return 1
