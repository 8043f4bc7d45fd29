-- The newest judgement of every stream, with the estimate it was made from: value, low, high, n_eff and labels_used are
-- null where nothing was estimated, as for a refused window.
CREATE VIEW current_states AS
SELECT
    s.panel,
    s.classifier,
    s.metric,
    s.segment,
    s.segment_key,
    s.state,
    s.reason,
    s.cycle_id,
    s.revision,
    s.window_start,
    s.window_end,
    s.judged_at,
    e.value,
    e.low,
    e.high,
    e.n_eff,
    e.labels_used
FROM (
    SELECT
        a.panel,
        a.classifier,
        a.metric,
        a.segment,
        a.segment_key,
        a.state,
        a.reason,
        a.cycle_id,
        a.revision,
        a.at AS judged_at,
        c.window_start,
        c.window_end,
        ROW_NUMBER() OVER (
            PARTITION BY a.panel, a.classifier, a.metric, a.segment_key
            ORDER BY c.window_start DESC, a.revision DESC
        ) AS age
    FROM alarm_states AS a
    INNER JOIN cycles AS c ON c.id = a.cycle_id
) AS s
LEFT JOIN revisions AS r ON r.cycle_id = s.cycle_id AND r.number = s.revision
LEFT JOIN estimates AS e
    ON e.revision_id = r.id
    AND e.classifier = s.classifier
    AND e.metric = s.metric
    AND e.segment_key = s.segment_key
WHERE s.age = 1
