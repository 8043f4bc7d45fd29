-- Some rows that the census left out, to look at; only run when there are any. By the hash of their ids: of every fault
-- about as many as there are, and the same rows on every engine.
-- WITH, renamed, timed, scored, as_probability, called, checked, flagged, averaged, folded, stepped, classified: as in census.duckdb.sql
SELECT
    SUBSTRING('01-!', (calls_1 & 3) + 1, 1) || SUBSTRING('01-!', ((calls_1 >> 2) & 3) + 1, 1) || SUBSTRING('01-!', ((calls_1 >> 4) & 3) + 1, 1) AS pattern,
    SUBSTRING('.r?!', (flags_1 & 3) + 1, 1) || SUBSTRING('.le!', ((flags_1 >> 2) & 3) + 1, 1) || SUBSTRING('v-?!', ((flags_1 >> 4) & 3) + 1, 1) || SUBSTRING('v-?!', ((flags_1 >> 6) & 3) + 1, 1) || SUBSTRING('v-?!', ((flags_1 >> 8) & 3) + 1, 1) AS flags,
    item,
    time,
    CASE WHEN time IS NULL THEN CAST(time_given AS VARCHAR) END AS unreadable_time,
    CAST(call_given_1 AS VARCHAR) AS call_given_1,
    CAST(score_given_1 AS VARCHAR) AS score_given_1,
    CAST(score_given_2 AS VARCHAR) AS score_given_2,
    CAST(score_given_3 AS VARCHAR) AS score_given_3
FROM classified
WHERE NOT is_valid
ORDER BY CASE WHEN item IS NULL THEN 1 ELSE 0 END, MD5(item), flags, pattern, time
LIMIT 20
