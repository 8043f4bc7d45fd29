-- The candidates out of what was gathered, as `candidates` draws them; the population is asked for their ids only.
WITH ${asked},
kept AS (
    SELECT
        gathered.kept AS item,
        gathered.bin,
        gathered.first_time AS time,
        MD5(${seed} || ':' || gathered.kept) AS digest,
        asked.pattern,
        asked.atom,
        asked.stratum,
        asked.number,
        asked.ceiling
    FROM gathered
    INNER JOIN asked ON ${matching}
    WHERE NOT gathered.kept IS NULL
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place
    FROM kept
    WHERE digest COLLATE "C" < ceiling
),
drawn AS MATERIALIZED (
    SELECT * FROM ranked WHERE place <= number
),
named AS NOT MATERIALIZED (
    SELECT
        ${named}
    FROM ${population}
),
dated AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        ${times}
    FROM named
),
found AS MATERIALIZED (
    SELECT * FROM dated WHERE (${within}) AND item IN (SELECT item FROM drawn)
),
copies AS (
    SELECT item, COUNT(*) AS copies FROM found GROUP BY item
)
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.pattern,
    drawn.bin,
    drawn.time,
    copies.copies${carried}
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
INNER JOIN found ON found.item = drawn.item
ORDER BY drawn.stratum, drawn.place
