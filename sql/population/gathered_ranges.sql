-- Times and scores of what was gathered, by marks: what the profile says of the whole window.
SELECT
    ${words},
    MIN(first_time) AS first_time,
    MAX(last_time) AS last_time${ranges}
FROM ${gathered}
WHERE segment_number = 0
GROUP BY ${words}
