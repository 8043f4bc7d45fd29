-- Of the rows of a window that share an id the newest stands; rows without a time, which are bad, stand all.
-- Ids are counted, not sorted: only the rows of ids that occur more than once are put in order.
several AS MATERIALIZED (
    SELECT item AS id FROM scored WHERE NOT item IS NULL AND NOT time IS NULL GROUP BY item HAVING COUNT(*) > 1
),
ordered AS NOT MATERIALIZED (
    SELECT
        scored.*,
        TRUE AS repeated,
        ROW_NUMBER() OVER (PARTITION BY scored.item ORDER BY ${newest}) AS turn
    FROM scored
    INNER JOIN several ON several.id = scored.item
    WHERE NOT scored.time IS NULL
),
standing AS NOT MATERIALIZED (
    SELECT
        scored.*,
        FALSE AS repeated,
        1 AS turn
    FROM scored
    LEFT JOIN several ON several.id = scored.item
    WHERE several.id IS NULL OR scored.time IS NULL
    UNION ALL
    SELECT * FROM ordered WHERE turn = 1
),
