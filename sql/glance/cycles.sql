-- Cycles under way, oldest window first, with what was drawn and how much of it somebody has spoken on.
SELECT
    c.id,
    c.panel,
    c.state,
    c.window_start,
    c.window_end,
    c.opened_at,
    c.deadline_at,
    c.failures,
    c.last_error,
    c.profile,
    (SELECT COUNT(*) FROM rounds AS r WHERE r.cycle_id = c.id) AS rounds,
    (SELECT COUNT(*) FROM draws AS d WHERE d.cycle_id = c.id) AS drawn,
    (
        SELECT COUNT(*)
        FROM draws AS d
        WHERE d.cycle_id = c.id
        AND EXISTS (SELECT 1 FROM label_events AS e WHERE e.item_key = d.item_key)
    ) AS answered
FROM cycles AS c
WHERE c.state IN ('open', 'frozen', 'labelling', 'settled', 'expired')
ORDER BY c.window_start, c.panel
