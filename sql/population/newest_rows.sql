-- Of the rows of a window that share an id the newest counts; all rows without a time, which are bad, stay.
-- Ids are counted, not sorted: only the rows of ids that occur more than once are put in order.
repeated_ids AS MATERIALIZED (
    SELECT item AS id FROM scored WHERE NOT item IS NULL AND NOT time IS NULL GROUP BY item HAVING COUNT(*) > 1
),
by_recency AS NOT MATERIALIZED (
    SELECT
        scored.*,
        TRUE AS repeated,
        ROW_NUMBER() OVER (PARTITION BY scored.item ORDER BY ${newest_first}) AS recency
    FROM scored
    INNER JOIN repeated_ids ON repeated_ids.id = scored.item
    WHERE NOT scored.time IS NULL
),
current_rows AS NOT MATERIALIZED (
    SELECT
        scored.*,
        FALSE AS repeated,
        1 AS recency
    FROM scored
    LEFT JOIN repeated_ids ON repeated_ids.id = scored.item
    WHERE repeated_ids.id IS NULL OR scored.time IS NULL
    UNION ALL
    SELECT * FROM by_recency WHERE recency = 1
),
