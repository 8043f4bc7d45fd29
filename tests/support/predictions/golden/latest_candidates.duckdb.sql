-- opening: as in candidates.duckdb.sql
-- WITH: as in census.duckdb.sql
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "loaded" AS arrived_given,
        "is_lr" AS call_given_1,
        "p_lr" AS score_given_1,
        "margin" AS score_given_2,
        "p ""odd""; drop" AS score_given_3,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1,
        "body" AS payload_1,
        CAST("author" AS VARCHAR) AS cluster
    FROM population
),
-- timed, scored, repeated_ids: as in latest_census.duckdb.sql
by_recency AS NOT MATERIALIZED (
    SELECT
        scored.*,
        TRUE AS repeated,
        ROW_NUMBER() OVER (PARTITION BY scored.item ORDER BY arrived DESC NULLS LAST, time DESC NULLS LAST, call_given_1 DESC NULLS LAST, score_given_1 DESC NULLS LAST, score_given_2 DESC NULLS LAST, score_given_3 DESC NULLS LAST, CAST(segment_1 AS VARCHAR) COLLATE "C" DESC NULLS LAST, CAST(payload_1 AS VARCHAR) COLLATE "C" DESC NULLS LAST, CAST(cluster AS VARCHAR) COLLATE "C" DESC NULLS LAST) AS recency
    FROM scored
    INNER JOIN repeated_ids ON repeated_ids.id = scored.item
    WHERE NOT scored.time IS NULL
),
-- current_rows, as_probability: as in latest_census.duckdb.sql
-- called: as in census.duckdb.sql
-- hashed: as in candidates.duckdb.sql
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total_score - total_score = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND score_3 >= 0 AND score_3 <= 1 AND NOT item IS NULL AND time >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time < CAST('2026-01-12 00:00:00' AS TIMESTAMP) AND NOT repeated THEN TRUE ELSE FALSE END AS is_clean
    FROM hashed
),
-- flagged: as in latest_census.duckdb.sql
-- averaged, folded, stepped, classified: as in census.duckdb.sql
-- kept, ranked, drawn: as in candidates.duckdb.sql
-- A second look at the window, for the rows that share an id with a candidate, valid or not.
copies AS (
    SELECT item, COUNT(*) AS copies FROM current_rows WHERE item IN (SELECT item FROM drawn) GROUP BY item
)
-- SELECT: as in candidates.duckdb.sql
