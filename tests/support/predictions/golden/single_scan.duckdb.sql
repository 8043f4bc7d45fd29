-- The census, and in the same scan the rows with small hashes, valid or not: each id is a group of its own in its cell.
-- Which rows those are follows from the first two bytes of the hash alone: `md5_number` has them last, in reverse.
-- WITH, renamed, timed, scored, as_probability, called, checked, flagged, averaged, folded, stepped, classified: as in census.duckdb.sql
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
