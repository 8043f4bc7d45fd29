-- Not executed here: translated and parsed, but no BigQuery was at hand to run it.
WITH renamed AS (SELECT `id` AS item_given, `ts` AS time_given, `is_lr` AS call_given_1, `p_lr` AS score_given_1,
`margin` AS score_given_2, `p "odd"; drop` AS score_given_3, CAST(`lang` AS STRING) AS segment_1 FROM population),
timed AS (SELECT *, CAST(item_given AS STRING) AS item, CAST(time_given AS DATETIME) AS time FROM renamed),
scored AS (SELECT *, CAST(score_given_1 AS FLOAT64) AS score_1, CAST(score_given_2 AS FLOAT64) AS score_2,
CAST(score_given_3 AS FLOAT64) AS score_3 FROM timed WHERE (time_given >= CAST('2026-01-05 00:00:00' AS DATETIME) AND
time_given < CAST('2026-01-12 00:00:00' AS DATETIME)) OR time_given IS NULL),
-- as_probability: as in census.spark.sql
called AS (SELECT *, CASE WHEN call_given_1 IS NULL THEN 2 WHEN call_given_1 THEN 1 ELSE 0 END + CASE WHEN score_given_2
IS NULL THEN 8 WHEN (score_2 - score_2 = 0) AND score_2 >= CAST('0.5' AS FLOAT64) THEN 4 WHEN (score_2 - score_2 = 0)
THEN 0 ELSE 12 END + CASE WHEN score_given_3 IS NULL THEN 32 WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <=
1) AND score_3 >= CAST('0.7' AS FLOAT64) THEN 16 WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN 0
ELSE 48 END AS calls_1, probability_1 + probability_2 + probability_3 AS total_score FROM as_probability),
-- checked, flagged: as in census.spark.sql
averaged AS (SELECT *, CASE WHEN is_clean THEN total_score / 3 WHEN (flags_1 & (flags_1 >> 1) & 357913941) = 0 THEN
(COALESCE(probability_1, 0) + COALESCE(probability_2, 0) + COALESCE(probability_3, 0)) / NULLIF(CASE WHEN probability_1
IS NULL THEN 0 ELSE 1 END + CASE WHEN probability_2 IS NULL THEN 0 ELSE 1 END + CASE WHEN probability_3 IS NULL THEN 0
ELSE 1 END, 0) ELSE (CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN probability_1 ELSE 0 END +
CASE WHEN (score_2 - score_2 = 0) THEN probability_2 ELSE 0 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND
score_3 <= 1) THEN probability_3 ELSE 0 END) / NULLIF(CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <=
1) THEN 1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN 1 ELSE 0 END + CASE WHEN (score_3 - score_3 = 0 AND
score_3 >= 0 AND score_3 <= 1) THEN 1 ELSE 0 END, 0) END AS mean_score FROM flagged),
-- folded, stepped: as in census.spark.sql
classified AS (SELECT *, (calls_1 & (calls_1 >> 1) & 357913941) = 0 AND (flags_1 & (flags_1 >> 1) & 357913941) = 0 AS
is_valid, CASE WHEN mean_score IS NULL THEN -1 WHEN mean_score * 2 < 1 THEN CAST(bin_step AS INT64) ELSE 1023 -
CAST(bin_step AS INT64) END AS bin FROM stepped) SELECT calls_1, flags_1, bin, CASE WHEN GROUPING(segment_1) = 0 THEN 1
ELSE 0 END AS segment_number, CASE WHEN GROUPING(segment_1) = 0 THEN segment_1 ELSE CAST(NULL AS STRING) END AS
segment_value, COUNT(*) AS items, MIN(time) AS first_time, MAX(time) AS last_time, MIN(score_1) AS low_1, MAX(score_1)
AS high_1, MIN(score_2) AS low_2, MAX(score_2) AS high_2, MIN(score_3) AS low_3, MAX(score_3) AS high_3 FROM classified
GROUP BY GROUPING SETS ((calls_1, flags_1, bin), (calls_1, flags_1, bin, segment_1))
