-- The census from the table of a single scan: the rows that were kept are counted with the others of their cell.
SELECT
    calls_1, flags_1,
    bin,
    segment_number,
    segment_value,
    CAST(SUM(items) AS BIGINT) AS items
FROM stratawatch_single_scan
GROUP BY calls_1, flags_1, bin, segment_number, segment_value
