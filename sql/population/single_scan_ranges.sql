-- Ranges of times and scores from the table of a single scan, by flags: for the profile of the whole window.
SELECT
    ${words},
    MIN(first_time) AS first_time,
    MAX(last_time) AS last_time${ranges}
FROM ${single_scan}
WHERE segment_number = 0
GROUP BY ${words}
