-- The candidates out of what was gathered, as `candidates` draws them. Rows that share an id share its hash, so that all
-- of them were kept, and copies can be counted here.
WITH kept AS (
    SELECT
        gathered.kept AS item,
        gathered.bin,
        gathered.first_time AS time,
        MD5('it''s golden' || ':' || gathered.kept) AS digest,
        wanted.atom,
        wanted.stratum,
        wanted.number,
        wanted.ceiling
    FROM stratawatch_gathered AS gathered
    INNER JOIN stratawatch_wanted AS wanted ON wanted.said_1 = gathered.said_1 AND wanted.bin = gathered.bin
    WHERE NOT gathered.kept IS NULL AND (gathered.said_1 & (gathered.said_1 >> 1) & 357913941) = 0 AND (gathered.marked_1 & (gathered.marked_1 >> 1) & 357913941) = 0
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
    FROM stratawatch_gathered
    WHERE kept IN (SELECT item FROM drawn)
    GROUP BY kept
),
-- What else is to be known of the drawn items is looked up in the window.
named AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1,
        "body" AS payload_1,
        CAST("author" AS VARCHAR) AS cluster
    FROM population
),
dated AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        CAST(time_given AS TIMESTAMP) AS time
    FROM named
),
found AS MATERIALIZED (
    SELECT * FROM dated WHERE ((time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL) AND item IN (SELECT item FROM drawn)
)
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies,
    found.segment_1,
    found.payload_1,
    found.cluster
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
INNER JOIN found ON found.item = drawn.item
ORDER BY drawn.stratum, drawn.place
