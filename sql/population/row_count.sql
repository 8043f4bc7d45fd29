-- How many rows are dated inside a window; nothing but times is read.
SELECT COUNT(*) AS items
FROM (
    SELECT
        *,
        ${times}
    FROM (
        SELECT
            ${renamed}
        FROM ${population}
    ) AS renamed
) AS timed
WHERE NOT time IS NULL AND (${in_window})
