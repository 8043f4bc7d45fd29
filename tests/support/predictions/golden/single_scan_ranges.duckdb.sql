-- Ranges of times and scores from the table of a single scan, by flags: for the profile of the whole window.
SELECT
    flags_1,
    MIN(first_time) AS first_time,
    MAX(last_time) AS last_time,
    MIN(low_1) AS low_1,
    MAX(high_1) AS high_1,
    MIN(low_2) AS low_2,
    MAX(high_2) AS high_2,
    MIN(low_3) AS low_3,
    MAX(high_3) AS high_3
FROM stratawatch_single_scan
WHERE segment_number = 0
GROUP BY flags_1
