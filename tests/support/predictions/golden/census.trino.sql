-- Not executed here: translated and parsed, but no Trino was at hand to run it.
-- renamed: as in census.snowflake.sql
timed AS (SELECT *, CAST(item_given AS VARCHAR) AS item, CAST(time_given AS TIMESTAMP) AS time FROM renamed),
scored AS (SELECT *, CAST(score_given_1 AS DOUBLE) AS score_1, CAST(score_given_2 AS DOUBLE) AS score_2,
CAST(score_given_3 AS DOUBLE) AS score_3 FROM timed WHERE (time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND
time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL),
as_probability AS (SELECT *, score_1 AS probability_1, CASE WHEN NOT score_2 IS NULL THEN CAST(1 AS DOUBLE) / (1 +
EXP(-LEAST(GREATEST(score_2, -700), 700))) END AS probability_2, score_3 AS probability_3 FROM scored),
-- called, checked, flagged: as in census.spark.sql
averaged AS (SELECT *, CASE WHEN is_clean THEN CAST(total_score AS DOUBLE) / 3 WHEN (BITWISE_AND(BITWISE_AND(flags_1,
(BITWISE_RIGHT_SHIFT(flags_1, 1))), 357913941)) = 0 THEN CAST((COALESCE(probability_1, 0) + COALESCE(probability_2, 0) +
COALESCE(probability_3, 0)) AS DOUBLE) / NULLIF(CASE WHEN probability_1 IS NULL THEN 0 ELSE 1 END + CASE WHEN
probability_2 IS NULL THEN 0 ELSE 1 END + CASE WHEN probability_3 IS NULL THEN 0 ELSE 1 END, 0) ELSE CAST((CASE WHEN
(score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN probability_1 ELSE 0 END + CASE WHEN (score_2 - score_2 =
0) THEN probability_2 ELSE 0 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN
probability_3 ELSE 0 END) AS DOUBLE) / NULLIF(CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 1
ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN 1 ELSE 0 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND
score_3 <= 1) THEN 1 ELSE 0 END, 0) END AS mean_score FROM flagged),
-- folded, stepped: as in census.spark.sql
classified AS (SELECT *, (BITWISE_AND(BITWISE_AND(calls_1, (BITWISE_RIGHT_SHIFT(calls_1, 1))), 357913941)) = 0 AND
(BITWISE_AND(BITWISE_AND(flags_1, (BITWISE_RIGHT_SHIFT(flags_1, 1))), 357913941)) = 0 AS is_valid, CASE WHEN mean_score
IS NULL THEN -1 WHEN mean_score * 2 < 1 THEN CAST(bin_step AS INTEGER) ELSE 1023 - CAST(bin_step AS INTEGER) END AS bin
FROM stepped) SELECT calls_1, flags_1, bin, CASE WHEN GROUPING(segment_1) = 0 THEN 1 ELSE 0 END AS segment_number, CASE
WHEN GROUPING(segment_1) = 0 THEN segment_1 ELSE CAST(NULL AS VARCHAR) END AS segment_value, COUNT(*) AS items,
MIN(time) AS first_time, MAX(time) AS last_time, MIN(score_1) AS low_1, MAX(score_1) AS high_1, MIN(score_2) AS low_2,
MAX(score_2) AS high_2, MIN(score_3) AS low_3, MAX(score_3) AS high_3 FROM classified GROUP BY GROUPING SETS ((calls_1,
flags_1, bin), (calls_1, flags_1, bin, segment_1))
