-- Incidents that are not resolved yet, with the window that opened them and the newest judgement of their stream.
-- period is null where the cycle was replaced by a rerun.
CREATE VIEW open_incidents AS
SELECT
    n.id AS incident,
    n.panel,
    n.classifier,
    n.metric,
    n.segment,
    n.kind,
    n.opened_at,
    n.dedup_key,
    n.cycle_id,
    CASE WHEN c.period >= 0 THEN c.period END AS period,
    c.window_start,
    c.window_end,
    s.state AS state_now,
    s.reason AS reason_now,
    n.rule,
    n.since,
    n.evidence,
    n.acknowledged_at,
    n.acknowledged_by,
    n.acknowledged_why
FROM incidents AS n
INNER JOIN cycles AS c ON c.id = n.cycle_id
LEFT JOIN current_states AS s
    ON s.panel = n.panel
    AND s.classifier = n.classifier
    AND s.metric = n.metric
    AND s.segment_key = n.segment_key
WHERE n.resolved_at IS NULL
