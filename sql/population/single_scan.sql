-- The census, and in the same scan the rows with small hashes, valid or not: each id is a group of its own in its cell.
-- Which rows those are follows from the first two bytes of the hash alone: `md5_number` has them last, in reverse.
WITH ${classified},
hashed AS NOT MATERIALIZED (
    SELECT *, CAST(MD5_NUMBER(CONCAT(${seed}, ':', item)) & CAST(65535 AS UHUGEINT) AS INTEGER) AS first_bytes
    FROM classified
),
kept AS NOT MATERIALIZED (
    SELECT *, CASE WHEN (first_bytes & 255) * 256 + (first_bytes >> 8) < ${below} THEN item END AS kept_item FROM hashed
)
SELECT
    ${words},
    bin,
    kept_item,
    ${segment_number} AS segment_number,
    ${segment_value} AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time${ranges}
FROM kept
GROUP BY GROUPING SETS (${grouping_sets})
