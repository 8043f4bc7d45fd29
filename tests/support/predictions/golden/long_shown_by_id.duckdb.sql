-- The items of the window whose ids a small table names, each with its cell; it is joined before anything else is worked out.
-- The table of quotas says which atom a cell belongs to.
-- WITH: as in census.duckdb.sql
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "call of 1" AS call_given_1,
        "score of 1" AS score_given_1,
        "score of 2" AS score_given_2,
        "rows of the item" AS copies_given,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1,
        "body" AS payload_1
    FROM (
    -- A table with a row for each item and scorer, made one with a row for each item: of this window, and no other.
    -- Rows of an item that have no time stay apart from the others, and so does every row without an id: all of them are bad.
    WITH in_window AS NOT MATERIALIZED (
        SELECT *
        FROM (
            SELECT
                *,
                CAST(item_given AS VARCHAR) COLLATE "C" AS item,
                CAST(time_given AS TIMESTAMP) AS time
            FROM (
                SELECT
                    "id" AS item_given,
        "ts" AS time_given,
        CAST("model" AS VARCHAR) COLLATE "C" AS scorer,
        "score" AS value_1,
        "call" AS value_2,
        CAST("lang" AS VARCHAR) COLLATE "C" AS attribute_1,
        CAST("body" AS VARCHAR) COLLATE "C" AS attribute_2
                FROM population
            ) AS renamed
        ) AS timed
        WHERE scorer IN ('lr', 'it''s') AND ((time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL)
    )
    SELECT
        item AS "id",
        MIN(time) AS "ts",
        MAX(CASE WHEN scorer = 'lr' THEN value_1 END) AS "score of 1",
        MAX(CASE WHEN scorer = 'lr' THEN CASE WHEN value_2 THEN 1 WHEN NOT value_2 THEN 0 END END) AS "call of 1",
        MAX(CASE WHEN scorer = 'it''s' THEN value_1 END) AS "score of 2",
        MIN(attribute_1) AS "lang",
        MIN(attribute_2) AS "body",
        GREATEST(COUNT(CASE WHEN scorer = 'lr' THEN 1 END), COUNT(CASE WHEN scorer = 'it''s' THEN 1 END)) AS "rows of the item"
    FROM in_window
    WHERE NOT item IS NULL
    GROUP BY item, CASE WHEN time IS NULL THEN 1 ELSE 0 END
    UNION ALL
    SELECT
        item AS "id",
        time AS "ts",
        CASE WHEN scorer = 'lr' THEN value_1 END AS "score of 1",
        CASE WHEN scorer = 'lr' THEN CASE WHEN value_2 THEN 1 WHEN NOT value_2 THEN 0 END END AS "call of 1",
        CASE WHEN scorer = 'it''s' THEN value_1 END AS "score of 2",
        attribute_1 AS "lang",
        attribute_2 AS "body",
        1 AS "rows of the item"
    FROM in_window
    WHERE item IS NULL
) AS pivoted
),
-- timed: as in census.duckdb.sql
scored AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN NOT CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_1 AS DOUBLE) END AS score_1,
        CASE WHEN NOT CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_2 AS DOUBLE) END AS score_2
    FROM timed
    WHERE ((time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL) AND item IN (SELECT ids.item FROM stratawatch_ids AS ids)
),
-- as_probability, called: as in long_census.duckdb.sql
-- hashed: as in candidates.duckdb.sql
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total_score - total_score = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND NOT item IS NULL AND NOT time IS NULL THEN TRUE ELSE FALSE END AS is_clean
    FROM hashed
),
-- flagged, averaged: as in long_census.duckdb.sql
-- folded, stepped, classified: as in census.duckdb.sql
SELECT
    classified.item,
    quotas.atom,
    classified.bin,
    classified.time,
    classified.segment_1,
    classified.payload_1
FROM classified
INNER JOIN stratawatch_quotas AS quotas ON quotas.calls_1 = classified.calls_1 AND quotas.bin = classified.bin
WHERE classified.is_valid
ORDER BY classified.item, quotas.atom, classified.bin, classified.time
