-- opening, WITH: as in census.duckdb.sql
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "loaded" AS arrived_given,
        "is_lr" AS call_given_1,
        "p_lr" AS score_given_1,
        "margin" AS score_given_2,
        "p ""odd""; drop" AS score_given_3,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1
    FROM population
),
timed AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        arrived_given AT TIME ZONE 'UTC' AS arrived,
        CASE WHEN NOT arrived_given AT TIME ZONE 'UTC' IS NULL THEN CAST(time_given AS TIMESTAMP) END AS time
    FROM renamed
),
scored AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN NOT CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_1 AS DOUBLE) END AS score_1,
        CASE WHEN NOT CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_2 AS DOUBLE) END AS score_2,
        CASE WHEN NOT CASE WHEN score_given_3 - score_given_3 = 0 THEN FALSE ELSE NOT ABS(score_given_3) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_3 AS DOUBLE) END AS score_3
    FROM timed
    WHERE (arrived_given >= CAST('2026-01-05 00:00:00+00:00' AS TIMESTAMPTZ) AND arrived_given < CAST('2026-01-12 00:00:00+00:00' AS TIMESTAMPTZ)) OR arrived_given IS NULL
),
-- Of the rows of a window that share an id the newest counts; all rows without a time, which are bad, stay.
-- Ids are counted, not sorted: only the rows of ids that occur more than once are put in order.
repeated_ids AS MATERIALIZED (
    SELECT item AS id FROM scored WHERE NOT item IS NULL AND NOT time IS NULL GROUP BY item HAVING COUNT(*) > 1
),
by_recency AS NOT MATERIALIZED (
    SELECT
        scored.*,
        TRUE AS repeated,
        ROW_NUMBER() OVER (PARTITION BY scored.item ORDER BY arrived DESC NULLS LAST, time DESC NULLS LAST, call_given_1 DESC NULLS LAST, score_given_1 DESC NULLS LAST, score_given_2 DESC NULLS LAST, score_given_3 DESC NULLS LAST, CAST(segment_1 AS VARCHAR) COLLATE "C" DESC NULLS LAST) AS recency
    FROM scored
    INNER JOIN repeated_ids ON repeated_ids.id = scored.item
    WHERE NOT scored.time IS NULL
),
current_rows AS NOT MATERIALIZED (
    SELECT
        scored.*,
        FALSE AS repeated,
        1 AS recency
    FROM scored
    LEFT JOIN repeated_ids ON repeated_ids.id = scored.item
    WHERE repeated_ids.id IS NULL OR scored.time IS NULL
    UNION ALL
    SELECT * FROM by_recency WHERE recency = 1
),
as_probability AS NOT MATERIALIZED (
    SELECT
        *,
        score_1 AS probability_1,
        CASE WHEN NOT score_2 IS NULL THEN 1 / (1 + EXP(-LEAST(GREATEST(score_2, -700), 700))) END AS probability_2,
        score_3 AS probability_3
    FROM current_rows
),
-- called: as in census.duckdb.sql
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total_score - total_score = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND score_3 >= 0 AND score_3 <= 1 AND NOT item IS NULL AND time >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time < CAST('2026-01-12 00:00:00' AS TIMESTAMP) AND NOT repeated THEN TRUE ELSE FALSE END AS is_clean
    FROM called
),
flagged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN is_clean THEN 0 ELSE CASE WHEN item IS NULL THEN 3 WHEN repeated THEN 1 ELSE 0 END + CASE WHEN time IS NULL THEN 12 WHEN time < CAST('2026-01-05 00:00:00' AS TIMESTAMP) THEN 4 WHEN time >= CAST('2026-01-12 00:00:00' AS TIMESTAMP) THEN 8 ELSE 0 END + CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 0 WHEN (score_given_1 IS NULL OR CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END) THEN 16 ELSE 48 END + CASE WHEN (score_2 - score_2 = 0) THEN 0 WHEN (score_given_2 IS NULL OR CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END) THEN 64 ELSE 192 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN 0 WHEN (score_given_3 IS NULL OR CASE WHEN score_given_3 - score_given_3 = 0 THEN FALSE ELSE NOT ABS(score_given_3) = CAST('Infinity' AS DOUBLE) END) THEN 256 ELSE 768 END END AS flags_1
    FROM checked
),
-- averaged, folded, stepped, classified, SELECT: as in census.duckdb.sql
