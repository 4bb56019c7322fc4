-- Answers 1 and a listing of the whole session if it has expired and its listeners have not been told; 0 otherwise.
if not ended or not redis.call('HGET', key, 'y') then return {0} end
return listing(1, 0, '')
