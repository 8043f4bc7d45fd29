-- The candidates: of every stratum the items with the smallest hash of seed and id, without sorting the population.
-- The small table of what is wanted has a row for every bin of an atom: the words of its pattern, the bin, the atom, its
-- stratum, the number to return of that, and the ceiling of the hash (hex text).
-- The ceiling keeps a few more rows than the number, on average; only these are ranked.
WITH ${observed},
kept AS (
    SELECT
        observed.*,
        wanted.atom,
        wanted.stratum,
        wanted.number
    FROM observed
    INNER JOIN ${wanted} AS wanted ON ${matching}
    -- One condition, not two: an engine is not to hash what is not sound.
    WHERE CASE WHEN observed.sound THEN observed.digest END COLLATE "C" < wanted.ceiling
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place FROM kept
),
drawn AS MATERIALIZED (
    SELECT * FROM ranked WHERE place <= number
),
-- A second look at the window, for the rows that share an id with a candidate, sound or not.
copies AS (
    SELECT item, ${copies} AS copies FROM ${standing} WHERE item IN (SELECT item FROM drawn) GROUP BY item
)
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies${carried}
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
ORDER BY drawn.stratum, drawn.place
