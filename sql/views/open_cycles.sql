-- Cycles under way, with the number of rounds planned, of items drawn and of drawn items that have a label event.
-- further_votes: open batches that ask a second or third person about an item.
CREATE VIEW open_cycles AS
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
        AND EXISTS (SELECT 1 FROM label_events AS e WHERE e.item_key = d.item_key AND e.question_key = d.question_key)
    ) AS answered,
    (
        SELECT COUNT(*)
        FROM batches AS b
        INNER JOIN rounds AS r ON r.id = b.round_id
        WHERE r.cycle_id = c.id AND b.vote > 1 AND b.state IN ('planned', 'sent', 'failed')
    ) AS further_votes
FROM cycles AS c
WHERE c.state IN ('open', 'frozen', 'labelling', 'settled', 'expired')
