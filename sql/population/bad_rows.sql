-- Some rows that the census left out, to look at; only run when there are any. By the hash of their ids: of every fault
-- about as many as there are, and the same rows on every engine.
WITH ${classified}
SELECT
    ${pattern} AS pattern,
    ${flags} AS flags,
    item,
    time,
    ${unreadable_time} AS unreadable_time,
    ${given}
FROM classified
WHERE NOT is_valid
ORDER BY CASE WHEN item IS NULL THEN 1 ELSE 0 END, MD5(item), flags, pattern, time
LIMIT ${most}
