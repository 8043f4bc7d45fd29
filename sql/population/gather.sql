-- The census, and in the same scan the rows that are likely to be drawn: each is a group of its own, with its id.
-- Which rows those are follows from the first two bytes of the hash alone: `md5_number` has them last, in reverse.
WITH ${observed},
tailed AS NOT MATERIALIZED (
    SELECT *, CAST(MD5_NUMBER(${seed} || ':' || item) & CAST(65535 AS UHUGEINT) AS INTEGER) AS tail FROM observed
),
placed AS NOT MATERIALIZED (
    SELECT *, (tail & 255) * 256 + (tail >> 8) AS place FROM tailed
),
sifted AS NOT MATERIALIZED (
    SELECT
        *,
        -- In this order: the first condition leaves out nearly all.
        CASE
            WHEN place < ${below_called} AND (place < ${below} OR ${called}) AND ${sound} THEN item
        END AS kept
    FROM placed
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
