-- The census of what was gathered: the rows that were kept are counted with the others of their cell.
-- In the order of the census, for which the program would sort hundreds of thousands of cells more slowly.
WITH counted AS (
    SELECT
        said_1, marked_1,
        bin,
        segment_number,
        segment_value,
        CAST(SUM(items) AS BIGINT) AS items
    FROM stratawatch_gathered
    GROUP BY said_1, marked_1, bin, segment_number, segment_value
)
SELECT
    SUBSTRING('01-!', (said_1 & 3) + 1, 1) || SUBSTRING('01-!', ((said_1 >> 2) & 3) + 1, 1) || SUBSTRING('01-!', ((said_1 >> 4) & 3) + 1, 1) AS pattern,
    SUBSTRING('.r?!', (marked_1 & 3) + 1, 1) || SUBSTRING('.le!', ((marked_1 >> 2) & 3) + 1, 1) || SUBSTRING('v-?!', ((marked_1 >> 4) & 3) + 1, 1) || SUBSTRING('v-?!', ((marked_1 >> 6) & 3) + 1, 1) || SUBSTRING('v-?!', ((marked_1 >> 8) & 3) + 1, 1) AS marks,
    bin,
    segment_number,
    segment_value,
    items
FROM counted
ORDER BY pattern, bin
