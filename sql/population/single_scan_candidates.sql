-- The candidates from the table of a single scan, as `candidates` draws them. Rows that share an id share its hash, so
-- that all of them were kept, and copies can be counted here. Of one row the smallest score is its score.
WITH kept AS (
    SELECT
        single_scan.kept_item AS item,
        single_scan.bin,
        single_scan.first_time AS time,
        MD5(${seed} || ':' || single_scan.kept_item) AS digest,
        quotas.atom,
        quotas.stratum,
        quotas.quota,
        quotas.max_digest${scores_of_one}
    FROM ${single_scan} AS single_scan
    INNER JOIN ${quotas} AS quotas ON ${same_cell}
    WHERE NOT single_scan.kept_item IS NULL AND ${is_valid}
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place
    FROM kept
    WHERE digest COLLATE "C" < max_digest
),
drawn AS MATERIALIZED (
    SELECT * FROM ranked WHERE place <= quota
),
copies AS (
    SELECT kept_item AS item, CAST(SUM(items) AS BIGINT) AS copies
    FROM ${single_scan}
    WHERE kept_item IN (SELECT item FROM drawn)
    GROUP BY kept_item
)${drawn_attributes}
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies${scores}${attributes}
FROM drawn
INNER JOIN copies ON copies.item = drawn.item${join_attributes}
ORDER BY drawn.stratum, drawn.place
