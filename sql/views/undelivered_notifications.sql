-- Notifications that nobody has received, counted by channel: pending (tried again, next at next_at), or failed for
-- good.
CREATE VIEW undelivered_notifications AS
SELECT
    channel,
    state,
    COUNT(*) AS notifications,
    MIN(created_at) AS oldest,
    MIN(next_at) AS next_at,
    MAX(attempts) AS attempts,
    MAX(last_error) AS last_error
FROM notifications
WHERE state IN ('pending', 'failed')
GROUP BY channel, state
