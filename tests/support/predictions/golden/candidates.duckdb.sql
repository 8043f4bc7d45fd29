-- The candidates: of every stratum the items with the smallest hash of seed and id, without sorting the population.
-- The small table of quotas has a row for every bin of an atom: the words of its pattern's calls, the bin, the atom, its
-- stratum, the number of items to return of that stratum, and the digest (hex text) below which items are ranked.
-- A few more items than the quota lie below that digest, on average; only these are ranked.
-- WITH: as in census.duckdb.sql
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "is_lr" AS call_given_1,
        "p_lr" AS score_given_1,
        "margin" AS score_given_2,
        "p ""odd""; drop" AS score_given_3,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1,
        "body" AS payload_1,
        CAST("author" AS VARCHAR) AS cluster
    FROM population
),
-- timed, scored, as_probability, called: as in census.duckdb.sql
-- The hash of every item, before anything is worked out that only the drawn items need.
hashed AS NOT MATERIALIZED (
    SELECT *, MD5('it''s golden' || ':' || item) AS digest FROM called
),
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total_score - total_score = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND score_3 >= 0 AND score_3 <= 1 AND NOT item IS NULL AND NOT time IS NULL THEN TRUE ELSE FALSE END AS is_clean
    FROM hashed
),
-- flagged, averaged, folded, stepped, classified: as in census.duckdb.sql
kept AS (
    SELECT
        classified.*,
        quotas.atom,
        quotas.stratum,
        quotas.quota
    FROM classified
    INNER JOIN stratawatch_quotas AS quotas ON quotas.calls_1 = classified.calls_1 AND quotas.bin = classified.bin
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
    SELECT item, COUNT(*) AS copies FROM scored WHERE item IN (SELECT item FROM drawn) GROUP BY item
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
    drawn.segment_1,
    drawn.payload_1,
    drawn.cluster
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
ORDER BY drawn.stratum, drawn.place
