-- The census of what was gathered: the rows that were kept are counted with the others of their cell.
WITH counted AS (
    SELECT
        said_1, marked_1,
        bin,
        segment_number,
        segment_value,
        CAST(SUM(items) AS BIGINT) AS items,
        MIN(first_time) AS first_time,
        MAX(last_time) AS last_time,
        MIN(low_1) AS low_1,
        MAX(high_1) AS high_1,
        MIN(low_2) AS low_2,
        MAX(high_2) AS high_2,
        MIN(low_3) AS low_3,
        MAX(high_3) AS high_3
    FROM gathered
    GROUP BY said_1, marked_1, bin, segment_number, segment_value
)
SELECT
    SUBSTRING('01-!', (said_1 & 3) + 1, 1) || SUBSTRING('01-!', ((said_1 >> 2) & 3) + 1, 1) || SUBSTRING('01-!', ((said_1 >> 4) & 3) + 1, 1) AS pattern,
    SUBSTRING('.r?!', (marked_1 & 3) + 1, 1) || SUBSTRING('.le!', ((marked_1 >> 2) & 3) + 1, 1) || SUBSTRING('v-?!', ((marked_1 >> 4) & 3) + 1, 1) || SUBSTRING('v-?!', ((marked_1 >> 6) & 3) + 1, 1) || SUBSTRING('v-?!', ((marked_1 >> 8) & 3) + 1, 1) AS marks,
    bin,
    segment_number,
    segment_value,
    items,
    first_time,
    last_time,
    low_1,
    high_1,
    low_2,
    high_2,
    low_3,
    high_3
FROM counted
