-- The census, and in the same scan the rows with small hashes, valid or not: each id is a group of its own in its cell.
-- Which rows those are follows from the first two bytes of the hash alone: `md5_number` has them last, in reverse.
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
hashed AS NOT MATERIALIZED (
    SELECT *, CAST(MD5_NUMBER(CONCAT('it''s golden', ':', item)) & CAST(65535 AS UHUGEINT) AS INTEGER) AS first_bytes
    FROM classified
),
kept AS NOT MATERIALIZED (
    SELECT *, CASE WHEN (first_bytes & 255) * 256 + (first_bytes >> 8) < 1967 THEN item END AS kept_item FROM hashed
)
SELECT
    calls_1, flags_1,
    bin,
    kept_item,
    CASE WHEN GROUPING(segment_1) = 0 THEN 1 ELSE 0 END AS segment_number,
    CASE WHEN GROUPING(segment_1) = 0 THEN segment_1 ELSE CAST(NULL AS VARCHAR) END AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time,
        MIN(score_1) AS low_1,
        MAX(score_1) AS high_1,
        MIN(score_2) AS low_2,
        MAX(score_2) AS high_2,
        MIN(score_3) AS low_3,
        MAX(score_3) AS high_3
FROM kept
GROUP BY GROUPING SETS ((calls_1, flags_1, bin, kept_item), (calls_1, flags_1, bin, segment_1))
