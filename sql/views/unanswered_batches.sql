-- Batches that are not answered yet: planned, sent, or failed to be sent; moved_at is their newest transition.
CREATE VIEW unanswered_batches AS
SELECT
    b.id,
    b.key,
    b.state,
    b.attempts,
    b.last_error,
    c.id AS cycle,
    c.panel,
    r.planned_at,
    (SELECT MAX(t.at) FROM transitions AS t WHERE t.entity = 'batch' AND t.entity_id = b.id) AS moved_at
FROM batches AS b
INNER JOIN rounds AS r ON r.id = b.round_id
INNER JOIN cycles AS c ON c.id = r.cycle_id
WHERE b.state IN ('planned', 'sent', 'failed')
