-- Labels in the inbox: how many wait for the draw of their item, of how many items, and since when the oldest does.
CREATE VIEW waiting_labels AS
SELECT COUNT(*) AS labels, COUNT(DISTINCT item_key) AS items, MIN(received_at) AS since
FROM label_inbox
