-- How many rows are dated inside a window; nothing but times is read.
SELECT COUNT(*) AS items
FROM (
    SELECT
        *,
        arrived_given AT TIME ZONE 'UTC' AS arrived,
        CASE WHEN NOT arrived_given AT TIME ZONE 'UTC' IS NULL THEN CAST(time_given AS TIMESTAMP) END AS time
    FROM (
        SELECT
            "ts" AS time_given,
        "loaded" AS arrived_given
        FROM population
    ) AS renamed
) AS timed
WHERE NOT time IS NULL AND ((arrived_given >= CAST('2026-01-05 00:00:00+00:00' AS TIMESTAMPTZ) AND arrived_given < CAST('2026-01-12 00:00:00+00:00' AS TIMESTAMPTZ)) OR arrived_given IS NULL)
