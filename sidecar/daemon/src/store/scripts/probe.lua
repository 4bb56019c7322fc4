-- ARGV: a version. Answers 1, the version, its token, and the token of the record of the given version if it is there;
-- 0 where there is none, -1 and the forward where it has ended, -2 where its idle time is over.
if ended then return {-1, m[8]} end
if not version then return {0} end
if not exists then return {-2} end
local record = redis.call('HGET', key, 'r:' .. ARGV[1])
return {1, version, m[2], record and token_of(record)}
