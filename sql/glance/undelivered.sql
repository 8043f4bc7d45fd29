-- Notifications that people have not got: not sent yet, or given up.
SELECT channel, state, COUNT(*) AS notifications, MIN(created_at) AS oldest, MAX(last_error) AS last_error
FROM notifications
WHERE state IN ('pending', 'failed')
GROUP BY channel, state
ORDER BY channel, state
