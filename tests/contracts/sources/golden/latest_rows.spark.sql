SELECT
  COUNT(*) AS items
FROM (
  SELECT
    *,
    CAST(arrived_given AS TIMESTAMP_NTZ) AS arrived,
    CASE
      WHEN NOT CAST(arrived_given AS TIMESTAMP_NTZ) IS NULL
      THEN CAST(time_given AS TIMESTAMP_NTZ)
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
