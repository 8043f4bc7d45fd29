-- The candidates out of what was gathered, as `candidates` draws them. Rows that share an id share its hash, so that all
-- of them were kept, and copies can be counted here.
WITH kept AS (
    SELECT
        gathered.kept AS item,
        gathered.bin,
        gathered.first_time AS time,
        MD5(${seed} || ':' || gathered.kept) AS digest,
        wanted.atom,
        wanted.stratum,
        wanted.number,
        wanted.ceiling
    FROM ${gathered} AS gathered
    INNER JOIN ${wanted} AS wanted ON ${matching}
    WHERE NOT gathered.kept IS NULL AND ${sound}
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place
    FROM kept
    WHERE digest COLLATE "C" < ceiling
),
drawn AS MATERIALIZED (
    SELECT * FROM ranked WHERE place <= number
),
copies AS (
    SELECT kept AS item, CAST(SUM(items) AS BIGINT) AS copies
    FROM ${gathered}
    WHERE kept IN (SELECT item FROM drawn)
    GROUP BY kept
)${found}
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies${carried}
FROM drawn
INNER JOIN copies ON copies.item = drawn.item${shown}
ORDER BY drawn.stratum, drawn.place
