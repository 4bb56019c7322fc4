-- ARGV: shared claims that are over, one after another, 12 bytes each: their daemons have said so, and nobody else needs to ask them. Answers how many
-- were still there. A store that is full keeps them: then everybody asks.
local going = redis.call('HGET', KEYS[1], 'g')
if not going then return 0 end
local left = ''
for at = 1, #going, 12 do
  local claim = string.sub(going, at, at + 11)
  if not string.find(ARGV[1], claim, 1, true) then left = left .. claim end
end
if #left < #going then redis.pcall('HSET', KEYS[1], 'g', left) end
return (#going - #left) / 12
