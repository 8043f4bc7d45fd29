-- The census of what was gathered: the rows that were kept are counted with the others of their cell.
-- In the order of the census, for which the program would sort hundreds of thousands of cells more slowly.
WITH counted AS (
    SELECT
        ${words},
        bin,
        segment_number,
        segment_value,
        CAST(SUM(items) AS BIGINT) AS items
    FROM ${gathered}
    GROUP BY ${words}, bin, segment_number, segment_value
)
SELECT
    ${pattern} AS pattern,
    ${marks} AS marks,
    bin,
    segment_number,
    segment_value,
    items
FROM counted
ORDER BY pattern, bin
