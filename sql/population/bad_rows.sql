-- Some rows that the census left out, to look at; only run when there are any.
WITH ${observed}
SELECT
    ${pattern} AS pattern,
    ${marks} AS marks,
    item,
    time,
    ${given}
FROM observed
WHERE NOT sound
ORDER BY marks, pattern, item
LIMIT ${most}
