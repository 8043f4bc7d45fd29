-- The census: one scan that counts the window by pattern and bin, as a whole and within every segment.
-- Rows that are not valid are counted too, so that the profile of the input needs no scan of its own.
WITH ${classified}
SELECT
    ${words},
    bin,
    ${segment_number} AS segment_number,
    ${segment_value} AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time${ranges}
FROM classified
GROUP BY GROUPING SETS (${grouping_sets})
