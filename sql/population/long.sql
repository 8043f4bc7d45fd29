(
    -- A table with a row for each item and classifier, made one with a row for each item: of this window, and no other.
    -- Rows of an item that have no time stay apart from the others, and so does every row without an id: all of them are bad.
    WITH inside AS NOT MATERIALIZED (
        SELECT *
        FROM (
            SELECT
                *,
                CAST(item_given AS VARCHAR) COLLATE "C" AS item,
                ${times}
            FROM (
                SELECT
                    ${named}
                FROM ${population}
            ) AS named
        ) AS dated
        WHERE speaker IN (${speakers}) AND (${within})
    )
    SELECT
        ${together}
    FROM inside
    WHERE NOT item IS NULL
    GROUP BY item, CASE WHEN time IS NULL THEN 1 ELSE 0 END
    UNION ALL
    SELECT
        ${alone}
    FROM inside
    WHERE item IS NULL
) AS pivoted
