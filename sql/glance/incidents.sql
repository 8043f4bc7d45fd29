-- Troubles that nothing has ended yet, oldest first.
SELECT
    incident AS id,
    panel,
    classifier,
    metric,
    segment,
    kind,
    opened_at,
    cycle_id AS cycle,
    window_start,
    window_end,
    state_now,
    reason_now AS reason
FROM open_incidents
ORDER BY opened_at, incident
