-- Every panel with its number of cycles, those left out that were replaced, and the end of the newest window among them.
CREATE VIEW panel_windows AS
SELECT p.name AS panel, MAX(c.window_end) AS newest_window_end, COUNT(c.id) AS cycles
FROM panels AS p
LEFT JOIN cycles AS c ON c.panel = p.name AND c.period >= 0
GROUP BY p.name
