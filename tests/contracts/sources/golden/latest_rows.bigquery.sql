-- Not executed here: translated and parsed, but no BigQuery was at hand to run it.
SELECT
  COUNT(*) AS items
FROM (
  SELECT
    *,
    TIMESTAMP(DATETIME(arrived_given, 'UTC')) AS arrived,
    CASE
      WHEN NOT TIMESTAMP(DATETIME(arrived_given, 'UTC')) IS NULL
      THEN CAST(time_given AS DATETIME)
    END AS time
  FROM (
    SELECT
      `ts` AS time_given,
      `loaded` AS arrived_given
    FROM population
  ) AS named
) AS dated
WHERE
  NOT time IS NULL
  AND (
    (
      arrived_given >= CAST('2026-01-05 00:00:00+00:00' AS TIMESTAMP)
      AND arrived_given < CAST('2026-01-12 00:00:00+00:00' AS TIMESTAMP)
    )
    OR arrived_given IS NULL
  )
