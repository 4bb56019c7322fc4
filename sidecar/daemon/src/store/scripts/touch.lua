if not exists then return 0 end
redis.call('HSET', key, 'a', now)
refresh()
return 1
