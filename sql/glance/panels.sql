-- Every panel, and the newest window that a cycle was opened for.
SELECT p.name AS panel, MAX(c.window_end) AS newest_window_end, COUNT(c.id) AS cycles
FROM panels AS p
LEFT JOIN cycles AS c ON c.panel = p.name
GROUP BY p.name
ORDER BY p.name
