-- The census from the table of a single scan: the rows that were kept are counted with the others of their cell.
SELECT
    ${words},
    bin,
    segment_number,
    segment_value,
    CAST(SUM(items) AS BIGINT) AS items
FROM ${single_scan}
GROUP BY ${words}, bin, segment_number, segment_value
