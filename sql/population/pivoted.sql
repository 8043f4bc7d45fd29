(
    -- A table with a row for each item and scorer, made one with a row for each item: of this window, and no other.
    -- Rows of an item that have no time stay apart from the others, and so does every row without an id: all of them are bad.
    WITH in_window AS NOT MATERIALIZED (
        SELECT *
        FROM (
            SELECT
                *,
                CAST(item_given AS VARCHAR) COLLATE "C" AS item,
                ${times}
            FROM (
                SELECT
                    ${renamed}
                FROM ${population}
            ) AS renamed
        ) AS timed
        WHERE scorer IN (${scorers}) AND (${in_window})
    )
    SELECT
        ${grouped}
    FROM in_window
    WHERE NOT item IS NULL
    GROUP BY item, CASE WHEN time IS NULL THEN 1 ELSE 0 END
    UNION ALL
    SELECT
        ${single}
    FROM in_window
    WHERE item IS NULL
) AS pivoted
