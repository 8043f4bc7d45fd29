-- How many rows are dated inside a window; nothing but times is read.
SELECT COUNT(*) AS items
FROM (
    SELECT
        *,
        ${times}
    FROM (
        SELECT
            ${named}
        FROM ${population}
    ) AS named
) AS dated
WHERE NOT time IS NULL AND (${within})
