-- The census of what was gathered: the rows that were kept are counted with the others of their cell.
SELECT
    said_1, marked_1,
    bin,
    segment_number,
    segment_value,
    CAST(SUM(items) AS BIGINT) AS items
FROM stratawatch_gathered
GROUP BY said_1, marked_1, bin, segment_number, segment_value
