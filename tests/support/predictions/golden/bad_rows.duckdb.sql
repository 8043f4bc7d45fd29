-- Some rows that the census left out, to look at; only run when there are any. By the hash of their ids: of every fault
-- about as many as there are, and the same rows on every engine.
WITH -- Every row of the window, with the call of each classifier and the bin of its mean score: what all queries read.
-- Auxiliary scores come last in the pattern and have no flags: one that cannot be read counts as no call.
-- Names of the source appear only in `renamed`, quoted; below it all names are the program's own.
-- Calls and flags are two bits each, fifteen of them packed into a word; 3 always means that something cannot be read.
-- calls_1, ...: a call a classifier (0 no, 1 yes, 2 no call).
-- flags_1, ...: the item's flag (1 where it stands for several rows), the time's (1 late, 2 early, where windows are cut
-- by arrival), then the flag of each classifier's score (0 valid or nothing to read, 1 null).
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "is_lr" AS call_given_1,
        "p_lr" AS score_given_1,
        "margin" AS score_given_2,
        "p ""odd""; drop" AS score_given_3,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1
    FROM population
),
-- timed, scored, as_probability, called, checked, flagged, averaged, folded, stepped, classified: as in census.duckdb.sql
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
