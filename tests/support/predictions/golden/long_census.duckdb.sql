-- opening, WITH: as in census.duckdb.sql
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "call of 1" AS call_given_1,
        "score of 1" AS score_given_1,
        "score of 2" AS score_given_2,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1
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
        CAST("lang" AS VARCHAR) COLLATE "C" AS attribute_1
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
    WHERE (time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL
),
as_probability AS NOT MATERIALIZED (
    SELECT
        *,
        score_1 AS probability_1,
        CASE WHEN NOT score_2 IS NULL THEN 1 / (1 + EXP(-LEAST(GREATEST(score_2, -700), 700))) END AS probability_2
    FROM scored
),
called AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN call_given_1 IS NULL THEN 2 WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 1 THEN 1 WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 0 THEN 0 ELSE 3 END + CASE WHEN (score_given_2 IS NULL OR CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END) THEN 8 WHEN (score_2 - score_2 = 0) AND score_2 >= CAST('0.5' AS DOUBLE) THEN 4 WHEN (score_2 - score_2 = 0) THEN 0 ELSE 12 END AS calls_1,
        probability_1 + probability_2 AS total_score
    FROM as_probability
),
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total_score - total_score = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND NOT item IS NULL AND NOT time IS NULL THEN TRUE ELSE FALSE END AS is_clean
    FROM called
),
flagged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN is_clean THEN 0 ELSE CASE WHEN item IS NULL THEN 3 ELSE 0 END + CASE WHEN time IS NULL THEN 12 ELSE 0 END + CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 0 WHEN (score_given_1 IS NULL OR CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END) THEN 16 ELSE 48 END + CASE WHEN (score_2 - score_2 = 0) THEN 0 WHEN (score_given_2 IS NULL OR CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END) THEN 64 ELSE 192 END END AS flags_1
    FROM checked
),
averaged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN is_clean THEN total_score / 2 WHEN (flags_1 & (flags_1 >> 1) & 357913941) = 0 THEN (COALESCE(probability_1, 0) + COALESCE(probability_2, 0)) / NULLIF(CASE WHEN probability_1 IS NULL THEN 0 ELSE 1 END + CASE WHEN probability_2 IS NULL THEN 0 ELSE 1 END, 0) ELSE (CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN probability_1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN probability_2 ELSE 0 END) / NULLIF(CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN 1 ELSE 0 END, 0) END AS mean_score
    FROM flagged
),
-- folded, stepped, classified: as in census.duckdb.sql
SELECT
    calls_1, flags_1,
    bin,
    CASE WHEN GROUPING(segment_1) = 0 THEN 1 ELSE 0 END AS segment_number,
    CASE WHEN GROUPING(segment_1) = 0 THEN segment_1 ELSE CAST(NULL AS VARCHAR) END AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time,
        MIN(score_1) AS low_1,
        MAX(score_1) AS high_1,
        MIN(score_2) AS low_2,
        MAX(score_2) AS high_2
FROM classified
GROUP BY GROUPING SETS ((calls_1, flags_1, bin), (calls_1, flags_1, bin, segment_1))
