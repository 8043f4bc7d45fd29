-- What is known now: the newest revision of the newest window, for every panel, classifier, metric and segment.
-- segment is null for the whole population; value, low, high and n_eff are null where undefined says why.
-- deff is the design effect of labels that come in clusters, null where no clusters are known.
-- Of a window that is run again, the cycle that was replaced counts until the other one is estimated; its period is null.
CREATE VIEW current_estimates AS
SELECT
    panel,
    classifier,
    metric,
    segment,
    value,
    low,
    high,
    n_eff,
    undefined,
    labels_used,
    method,
    confidence,
    deff,
    state,
    cycle_id,
    period,
    window_start,
    window_end,
    revision,
    estimated_at
FROM (
    SELECT
        c.panel,
        e.classifier,
        e.metric,
        e.segment,
        e.value,
        e.low,
        e.high,
        e.n_eff,
        e.undefined,
        e.labels_used,
        e.method,
        e.confidence,
        e.deff,
        s.state,
        c.id AS cycle_id,
        CASE WHEN c.period >= 0 THEN c.period END AS period,
        c.window_start,
        c.window_end,
        r.number AS revision,
        r.at AS estimated_at,
        ROW_NUMBER() OVER (
            PARTITION BY c.panel, e.classifier, e.metric, e.segment_key
            ORDER BY c.window_start DESC, r.number DESC
        ) AS age
    FROM estimates AS e
    INNER JOIN revisions AS r ON r.id = e.revision_id
    INNER JOIN cycles AS c ON c.id = r.cycle_id
    LEFT JOIN alarm_states AS s
        ON s.cycle_id = c.id
        AND s.revision = r.number
        AND s.panel = c.panel
        AND s.classifier = e.classifier
        AND s.metric = e.metric
        AND s.segment_key = e.segment_key
    WHERE c.period >= 0
    OR NOT EXISTS (
        SELECT 1
        FROM cycles AS n
        INNER JOIN revisions AS later ON later.cycle_id = n.id
        WHERE n.panel = c.panel AND n.window_start = c.window_start AND n.id > c.id
    )
) AS ranked
WHERE age = 1
