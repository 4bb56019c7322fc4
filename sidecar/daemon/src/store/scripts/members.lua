-- KEYS: the index of a shard. Answers the digests of all that is in it.
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf')
