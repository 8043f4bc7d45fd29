-- The census: one scan that counts the window by pattern and bin, as a whole and within every segment.
-- Rows that are not sound are counted too, so that the profile of the input needs no scan of its own.
WITH -- What both queries read: every row of the window, with what each classifier said and the bin of the mean score.
-- Auxiliary scores have the last letters of the pattern and no marks: one that cannot be read says nothing, no more.
-- Names of the source appear only in `named`, quoted; below it all names are the program's own.
-- pattern: a letter a classifier (1, 0, - for silent, ! for unreadable).
-- marks: item, time, then a mark a classifier (. nothing to read, v valid score, - null score, ! missing or out of range).
-- The item's is r where it stands for several rows; the time's is l or e (late, early) where windows are cut by arrival.
named AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "call of 1" AS call_given_1,
        "score of 1" AS score_given_1,
        "score of 2" AS score_given_2,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1
    FROM (
    -- A table with a row for each item and classifier, made one with a row for each item: of this window, and no other.
    -- Rows of an item that have no time stay apart from the others, and so does every row without an id: all of them are bad.
    WITH inside AS NOT MATERIALIZED (
        SELECT *
        FROM (
            SELECT
                *,
                CAST(item_given AS VARCHAR) COLLATE "C" AS item,
                CAST(time_given AS TIMESTAMP) AS time
            FROM (
                SELECT
                    "id" AS item_given,
        "ts" AS time_given,
        CAST("model" AS VARCHAR) COLLATE "C" AS speaker,
        "score" AS said_1,
        "call" AS said_2,
        CAST("lang" AS VARCHAR) COLLATE "C" AS kept_1
                FROM population
            ) AS named
        ) AS dated
        WHERE speaker IN ('lr', 'it''s') AND ((time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL)
    )
    SELECT
        item AS "id",
        MIN(time) AS "ts",
        MAX(CASE WHEN speaker = 'lr' THEN said_1 END) AS "score of 1",
        MAX(CASE WHEN speaker = 'lr' THEN CASE WHEN said_2 THEN 1 WHEN NOT said_2 THEN 0 END END) AS "call of 1",
        MAX(CASE WHEN speaker = 'it''s' THEN said_1 END) AS "score of 2",
        MIN(kept_1) AS "lang",
        GREATEST(COUNT(CASE WHEN speaker = 'lr' THEN 1 END), COUNT(CASE WHEN speaker = 'it''s' THEN 1 END)) AS "rows of the item"
    FROM inside
    WHERE NOT item IS NULL
    GROUP BY item, CASE WHEN time IS NULL THEN 1 ELSE 0 END
    UNION ALL
    SELECT
        item AS "id",
        time AS "ts",
        CASE WHEN speaker = 'lr' THEN said_1 END AS "score of 1",
        CASE WHEN speaker = 'lr' THEN CASE WHEN said_2 THEN 1 WHEN NOT said_2 THEN 0 END END AS "call of 1",
        CASE WHEN speaker = 'it''s' THEN said_1 END AS "score of 2",
        kept_1 AS "lang",
        1 AS "rows of the item"
    FROM inside
    WHERE item IS NULL
) AS pivoted
),
dated AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        CAST(time_given AS TIMESTAMP) AS time
    FROM named
),
scored AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(score_given_1 AS DOUBLE) AS score_1,
        CAST(score_given_2 AS DOUBLE) AS score_2
    FROM dated
    WHERE (time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL
),
judged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN call_given_1 IS NULL THEN '-' WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 1 THEN '1' WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 0 THEN '0' ELSE '!' END AS letter_1,
        CASE WHEN score_given_2 IS NULL THEN '-' WHEN (score_2 - score_2 = 0) AND score_2 >= CAST('0.5' AS DOUBLE) THEN '1' WHEN (score_2 - score_2 = 0) THEN '0' ELSE '!' END AS letter_2
    FROM scored
),
spelled AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN letter_1 = '0' AND letter_2 = '0' THEN '00' ELSE letter_1 || letter_2 END AS pattern
    FROM judged
),
weighed AS NOT MATERIALIZED (
    SELECT
        *,
        (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) AS fine_1,
        (score_2 - score_2 = 0) AS fine_2
    FROM spelled
),
-- Most rows have every score, and what is said of them is known beforehand; only the others are spelled out.
averaged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN CASE WHEN item IS NULL THEN '!' ELSE '.' END = '.' AND CASE WHEN time IS NULL THEN '!' ELSE '.' END = '.' AND fine_1 AND fine_2 THEN '..vv' ELSE CASE WHEN item IS NULL THEN '!' ELSE '.' END || CASE WHEN time IS NULL THEN '!' ELSE '.' END || CASE WHEN fine_1 THEN 'v' WHEN score_given_1 IS NULL THEN '-' ELSE '!' END || CASE WHEN fine_2 THEN 'v' WHEN score_given_2 IS NULL THEN '-' ELSE '!' END END AS marks,
        CASE WHEN fine_1 AND fine_2 THEN (score_1 + 1 / (1 + EXP(-LEAST(GREATEST(score_2, -700), 700)))) / 2 ELSE (CASE WHEN fine_1 THEN score_1 ELSE 0 END + CASE WHEN fine_2 THEN 1 / (1 + EXP(-LEAST(GREATEST(score_2, -700), 700))) ELSE 0 END) / NULLIF(CASE WHEN fine_1 THEN 1 ELSE 0 END + CASE WHEN fine_2 THEN 1 ELSE 0 END, 0) END AS z
    FROM weighed
),
mirrored AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN z * 2 < 1 THEN z ELSE 1 - z END AS edge
    FROM averaged
),
-- The ladder of the bins: 32 equal steps in each octave below one half, mirrored above it.
-- Powers of two only, so that every engine cuts at the same numbers.
climbed AS NOT MATERIALIZED (
    SELECT
        *,
        CASE
            WHEN edge * 2 >= 1 THEN 511
            WHEN edge * 4 >= 1 THEN 480 + FLOOR((edge * 4 - 1) * 32)
            WHEN edge * 8 >= 1 THEN 448 + FLOOR((edge * 8 - 1) * 32)
            WHEN edge * 16 >= 1 THEN 416 + FLOOR((edge * 16 - 1) * 32)
            WHEN edge * 32 >= 1 THEN 384 + FLOOR((edge * 32 - 1) * 32)
            WHEN edge * 64 >= 1 THEN 352 + FLOOR((edge * 64 - 1) * 32)
            WHEN edge * 128 >= 1 THEN 320 + FLOOR((edge * 128 - 1) * 32)
            WHEN edge * 256 >= 1 THEN 288 + FLOOR((edge * 256 - 1) * 32)
            WHEN edge * 512 >= 1 THEN 256 + FLOOR((edge * 512 - 1) * 32)
            WHEN edge * 1024 >= 1 THEN 224 + FLOOR((edge * 1024 - 1) * 32)
            WHEN edge * 2048 >= 1 THEN 192 + FLOOR((edge * 2048 - 1) * 32)
            WHEN edge * 4096 >= 1 THEN 160 + FLOOR((edge * 4096 - 1) * 32)
            WHEN edge * 8192 >= 1 THEN 128 + FLOOR((edge * 8192 - 1) * 32)
            WHEN edge * 16384 >= 1 THEN 96 + FLOOR((edge * 16384 - 1) * 32)
            WHEN edge * 32768 >= 1 THEN 64 + FLOOR((edge * 32768 - 1) * 32)
            WHEN edge * 65536 >= 1 THEN 32 + FLOOR((edge * 65536 - 1) * 32)
            ELSE FLOOR(edge * 65536 * 32)
        END AS rung
    FROM mirrored
),
observed AS NOT MATERIALIZED (
    SELECT
        *,
        pattern || marks NOT LIKE '%!%' AS sound,
        CASE
            WHEN z IS NULL THEN -1
            WHEN z * 2 < 1 THEN CAST(rung AS INTEGER)
            ELSE 1023 - CAST(rung AS INTEGER)
        END AS bin
    FROM climbed
)
SELECT
    pattern,
    marks,
    bin,
    CASE WHEN GROUPING(segment_1) = 0 THEN 1 ELSE 0 END AS segment_number,
    CASE WHEN GROUPING(segment_1) = 0 THEN segment_1 ELSE CAST(NULL AS VARCHAR) END AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time,
    MIN(score_1) AS low_1,
    MAX(score_1) AS high_1,
    MIN(score_2) AS low_2,
    MAX(score_2) AS high_2
FROM observed
GROUP BY GROUPING SETS ((pattern, marks, bin), (pattern, marks, bin, segment_1))
