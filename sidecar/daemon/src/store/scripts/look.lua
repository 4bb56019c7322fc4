-- Answers 0 where there is no session that lives; otherwise 1, its sealed name and a listing of the whole of it. No access, and whoever has claimed it goes on.
if not exists then return {0} end
return {1, redis.call('HGET', key, 'n') or '', listing(1, 0, '')}
