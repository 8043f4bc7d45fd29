-- The candidates from the table of a single scan, as `candidates` draws them. Rows that share an id share its hash, so
-- that all of them were kept, and copies can be counted here. Of one row the smallest score is its score.
WITH kept AS (
    SELECT
        single_scan.kept_item AS item,
        single_scan.bin,
        single_scan.first_time AS time,
        MD5('it''s golden' || ':' || single_scan.kept_item) AS digest,
        quotas.atom,
        quotas.stratum,
        quotas.quota,
        quotas.max_digest,
        single_scan.low_1 AS score_1,
        single_scan.low_2 AS score_2,
        single_scan.low_3 AS score_3
    FROM stratawatch_single_scan AS single_scan
    INNER JOIN stratawatch_quotas AS quotas ON quotas.calls_1 = single_scan.calls_1 AND quotas.bin = single_scan.bin
    WHERE NOT single_scan.kept_item IS NULL AND (single_scan.calls_1 & (single_scan.calls_1 >> 1) & 357913941) = 0 AND (single_scan.flags_1 & (single_scan.flags_1 >> 1) & 357913941) = 0
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place
    FROM kept
    WHERE digest COLLATE "C" < max_digest
),
-- drawn: as in candidates.duckdb.sql
copies AS (
    SELECT kept_item AS item, CAST(SUM(items) AS BIGINT) AS copies
    FROM stratawatch_single_scan
    WHERE kept_item IN (SELECT item FROM drawn)
    GROUP BY kept_item
),
-- The attributes of the drawn items (segments, payload, cluster) are looked up in the window.
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1,
        "body" AS payload_1,
        CAST("author" AS VARCHAR) AS cluster
    FROM population
),
-- timed: as in census.duckdb.sql
attributes AS MATERIALIZED (
    SELECT * FROM timed WHERE ((time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL) AND item IN (SELECT item FROM drawn)
)
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies,
    drawn.score_1,
    drawn.score_2,
    drawn.score_3,
    attributes.segment_1,
    attributes.payload_1,
    attributes.cluster
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
INNER JOIN attributes ON attributes.item = drawn.item
ORDER BY drawn.stratum, drawn.place
