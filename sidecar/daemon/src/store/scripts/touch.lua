-- ARGV: how long ago the last access was, and the first of those that were not told before, and the longest time between two of them, in ms. Answers 1,
-- or 0 where there is no session.
if not version or ended then return 0 end
return used(ARGV[1], ARGV[2], ARGV[3]) and 1 or 0
