-- The census, and in the same scan the rows with small hashes, sound or not: each id is a group of its own in its cell.
-- Which rows those are follows from the first two bytes of the hash alone: `md5_number` has them last, in reverse.
WITH ${observed},
tailed AS NOT MATERIALIZED (
    SELECT *, CAST(MD5_NUMBER(CONCAT(${seed}, ':', item)) & CAST(65535 AS UHUGEINT) AS INTEGER) AS tail FROM observed
),
sifted AS NOT MATERIALIZED (
    SELECT *, CASE WHEN (tail & 255) * 256 + (tail >> 8) < ${below} THEN item END AS kept FROM tailed
)
SELECT
    ${words},
    bin,
    kept,
    ${segment_number} AS segment_number,
    ${segment_value} AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time${ranges}
FROM sifted
GROUP BY GROUPING SETS (${grouping_sets})
