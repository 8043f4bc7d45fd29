-- The items of the window whose ids a small table names, each with its cell; it is joined before anything else is worked out.
-- The table of quotas says which atom a cell belongs to.
-- WITH, renamed, timed: as in census.duckdb.sql
scored AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN NOT CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_1 AS DOUBLE) END AS score_1,
        CASE WHEN NOT CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_2 AS DOUBLE) END AS score_2,
        CASE WHEN NOT CASE WHEN score_given_3 - score_given_3 = 0 THEN FALSE ELSE NOT ABS(score_given_3) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_3 AS DOUBLE) END AS score_3
    FROM timed
    WHERE ((time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL) AND item IN (SELECT ids.item FROM stratawatch_ids AS ids)
),
-- as_probability, called, checked, flagged, averaged, folded, stepped, classified: as in census.duckdb.sql
SELECT
    classified.item,
    quotas.atom,
    classified.bin,
    classified.time,
    classified.segment_1
FROM classified
INNER JOIN stratawatch_quotas AS quotas ON quotas.calls_1 = classified.calls_1 AND quotas.bin = classified.bin
WHERE classified.is_valid
ORDER BY classified.item, quotas.atom, classified.bin, classified.time
