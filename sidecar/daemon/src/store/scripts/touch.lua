-- ARGV: how long ago the access was, in ms. Answers 1, or 0 where there is no session.
if not exists then return 0 end
local accessed = tonumber(now) - tonumber(ARGV[1])
if accessed > tonumber(m[4]) then redis.call('HSET', key, 'a', string.format('%.0f', accessed)) end
refresh()
return 1
