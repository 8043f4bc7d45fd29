-- Times and scores of what was gathered, by marks: what the profile says of the whole window.
SELECT
    marked_1,
    MIN(first_time) AS first_time,
    MAX(last_time) AS last_time,
    MIN(low_1) AS low_1,
    MAX(high_1) AS high_1,
    MIN(low_2) AS low_2,
    MAX(high_2) AS high_2,
    MIN(low_3) AS low_3,
    MAX(high_3) AS high_3
FROM stratawatch_gathered
WHERE segment_number = 0
GROUP BY marked_1
