-- The candidates: of every stratum the items with the smallest hash of seed and id, without sorting the population.
-- The small table of quotas has a row for every bin of an atom: the words of its pattern's calls, the bin, the atom, its
-- stratum, the number of items to return of that stratum, and the digest (hex text) below which items are ranked.
-- A few more items than the quota lie below that digest, on average; only these are ranked.
WITH ${classified},
kept AS (
    SELECT
        classified.*,
        quotas.atom,
        quotas.stratum,
        quotas.quota
    FROM classified
    INNER JOIN ${quotas} AS quotas ON ${same_cell}
    -- One condition, not two: an engine is not to hash what is not valid.
    WHERE CASE WHEN classified.is_valid THEN classified.digest END COLLATE "C" < quotas.max_digest
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place FROM kept
),
drawn AS MATERIALIZED (
    SELECT * FROM ranked WHERE place <= quota
),
-- A second look at the window, for the rows that share an id with a candidate, valid or not.
copies AS (
    SELECT item, ${copies} AS copies FROM ${current} WHERE item IN (SELECT item FROM drawn) GROUP BY item
)
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies${scores}${attributes}
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
ORDER BY drawn.stratum, drawn.place
