-- When the last advance ended, the last one without a trouble, and the troubles of the last one, a line each.
-- Times are of the machine's clock.
CREATE VIEW last_advance AS
SELECT finished_at, good_at, troubles
FROM last_runs
WHERE name = 'advance'
