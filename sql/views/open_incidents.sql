-- Troubles that nobody and nothing has ended yet, with the window that opened them and what was last said of the stream.
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
    c.period,
    c.window_start,
    c.window_end,
    l.state AS state_now,
    l.reason AS reason_now
FROM incidents AS n
INNER JOIN cycles AS c ON c.id = n.cycle_id
LEFT JOIN (
    SELECT
        s.panel,
        s.classifier,
        s.metric,
        s.segment_key,
        s.state,
        s.reason,
        ROW_NUMBER() OVER (
            PARTITION BY s.panel, s.classifier, s.metric, s.segment_key
            ORDER BY w.window_start DESC, s.revision DESC
        ) AS age
    FROM alarm_states AS s
    INNER JOIN cycles AS w ON w.id = s.cycle_id
) AS l
    ON l.panel = n.panel
    AND l.classifier = n.classifier
    AND l.metric = n.metric
    AND l.segment_key = n.segment_key
    AND l.age = 1
WHERE n.resolved_at IS NULL
