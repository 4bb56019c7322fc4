-- ARGV: a token, the digest to forward to (may be empty), the only version to end (may be empty).
-- Answers 1 if this call ended it, 0 if there was none, 2 if it has another version, {4, claim} where it is somebody else's; 1 and the claims that
-- have to be let go of before anybody is told, where there are any.
local whole = ARGV[2] == '' and ARGV[3] == ''
-- One that has expired is still there for its listeners: they have been told now.
local told = ended and whole and redis.call('HGET', key, 'y')
local function done()
  take_over()
  return going == '' and 1 or {1, going}
end
if ended and not told then return ended == ARGV[1] and done() or 0 end
if not exists and not told then return 0 end
if exists and sole then return {4, sole} end
if ARGV[3] ~= '' and ARGV[3] ~= m[1] then return 2 end
-- Before anything goes: a store that is full refuses this.
local marked = redis.pcall('HSET', key, 'x', ARGV[1])
if type(marked) == 'table' and marked.err then
  if not whole or not string.find(marked.err, 'OOM', 1, true) then return marked end
  with_records(tonumber(m[9]), version, function(fields) redis.call('HDEL', key, unpack(fields)) end)
  redis.call('HDEL', key, 't', 'c', 'a', 'i', 's', 'sv', 'o', 'n', 'y')
  redis.call('PEXPIRE', key, 600000)
  schedule(nil)
  return done()
end
redis.call('UNLINK', key)
redis.call('HSET', key, 'v', version + 1, 'x', ARGV[1])
if ARGV[2] ~= '' then redis.call('HSET', key, 'f', ARGV[2]) end
redis.call('PEXPIRE', key, 600000)
schedule(nil)
local answer = done()
-- For who asks again because this answer was lost.
if going ~= '' then redis.call('HSET', key, 'g', going) end
return answer
