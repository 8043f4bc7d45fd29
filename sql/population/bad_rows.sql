-- Some rows that the census left out, to look at; only run when there are any. By the hash of their ids: of every fault
-- about as many as there are, and the same rows on every engine.
WITH ${observed}
SELECT
    ${pattern} AS pattern,
    ${marks} AS marks,
    item,
    time,
    ${unread} AS time_unread,
    ${given}
FROM observed
WHERE NOT sound
ORDER BY CASE WHEN item IS NULL THEN 1 ELSE 0 END, MD5(item), marks, pattern, time
LIMIT ${most}
