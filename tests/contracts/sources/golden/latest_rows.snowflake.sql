-- Not executed here: translated and parsed, but no Snowflake was at hand to run it.
SELECT
  COUNT(*) AS items
FROM (
  SELECT
    *,
    CONVERT_TIMEZONE('UTC', arrived_given) AS arrived,
    CASE
      WHEN NOT CONVERT_TIMEZONE('UTC', arrived_given) IS NULL
      THEN CAST(time_given AS TIMESTAMPNTZ)
    END AS time
  FROM (
    SELECT
      "ts" AS time_given,
      "loaded" AS arrived_given
    FROM population
  ) AS named
) AS dated
WHERE
  NOT time IS NULL
  AND (
    (
      arrived_given >= CAST('2026-01-05 00:00:00+00:00' AS TIMESTAMPTZ)
      AND arrived_given < CAST('2026-01-12 00:00:00+00:00' AS TIMESTAMPTZ)
    )
    OR arrived_given IS NULL
  )
