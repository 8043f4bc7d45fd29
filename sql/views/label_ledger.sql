-- Every label event with its item, in order of arrival. in_force is 1 for the word that counts: the annotator's
-- latest on that item and question (by time, then arrival), unless it was taken back.
CREATE VIEW label_ledger AS
SELECT
    e.id AS event,
    i.panel,
    i.item,
    e.item_key,
    e.annotator,
    e.value,
    CASE
        WHEN e.value <> 'retract' AND ROW_NUMBER() OVER (
            PARTITION BY i.panel, e.item_key, e.question_key, e.annotator
            ORDER BY e.at DESC, e.id DESC
        ) = 1 THEN 1
        ELSE 0
    END AS in_force,
    e.source,
    e.event_id,
    e.at,
    e.received_at,
    i.cycles,
    e.question_key
FROM label_events AS e
INNER JOIN (
    SELECT c.panel, d.item_key, d.question_key, d.item, COUNT(*) AS cycles
    FROM draws AS d
    INNER JOIN cycles AS c ON c.id = d.cycle_id
    GROUP BY c.panel, d.item_key, d.question_key, d.item
) AS i ON i.item_key = e.item_key AND i.question_key = e.question_key
