-- The candidates: of every stratum the items with the smallest hash of seed and id, without sorting the population.
-- The small table of what is wanted has a row for every bin of an atom: the words of its pattern, the bin, the atom, its
-- stratum, the number to return of that, and the ceiling of the hash (hex text).
-- The ceiling keeps a few more rows than the number, on average; only these are ranked.
WITH -- What both queries read: every row of the window, with what each classifier said and the bin of the mean score.
-- Auxiliary scores have the last letters of the pattern and no marks: one that cannot be read says nothing, no more.
-- Names of the source appear only in `named`, quoted; below it all names are the program's own.
-- Letters and marks are two bits each, fifteen of them in a word; 3 always means that something cannot be read.
-- said_1, ...: a letter a classifier (0 no, 1 yes, 2 silent).
-- marked_1, ...: the item's mark (1 where it stands for several rows), the time's (1 late, 2 early, where windows are cut
-- by arrival), then a mark a classifier (0 a valid score or nothing to read, 1 a null score).
named AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "call of 1" AS call_given_1,
        "score of 1" AS score_given_1,
        "score of 2" AS score_given_2,
        "rows of the item" AS copies_given,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1,
        "body" AS payload_1
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
        CAST("lang" AS VARCHAR) COLLATE "C" AS kept_1,
        CAST("body" AS VARCHAR) COLLATE "C" AS kept_2
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
        MIN(kept_2) AS "body",
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
        kept_2 AS "body",
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
linked AS NOT MATERIALIZED (
    SELECT
        *,
        score_1 AS linked_1,
        CASE WHEN NOT score_2 IS NULL THEN 1 / (1 + EXP(-LEAST(GREATEST(score_2, -700), 700))) END AS linked_2
    FROM scored
),
spoken AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN call_given_1 IS NULL THEN 2 WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 1 THEN 1 WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 0 THEN 0 ELSE 3 END + CASE WHEN score_given_2 IS NULL THEN 8 WHEN (score_2 - score_2 = 0) AND score_2 >= CAST('0.5' AS DOUBLE) THEN 4 WHEN (score_2 - score_2 = 0) THEN 0 ELSE 12 END AS said_1,
        linked_1 + linked_2 AS total
    FROM linked
),
-- The hash of every item; nothing that only the drawn items need is worked out before it.
hashed AS NOT MATERIALIZED (
    SELECT *, MD5('it''s golden' || ':' || item) AS digest FROM spoken
),
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
judged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total - total = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND NOT item IS NULL AND NOT time IS NULL THEN TRUE ELSE FALSE END AS plain
    FROM hashed
),
marked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN plain THEN 0 ELSE CASE WHEN item IS NULL THEN 3 ELSE 0 END + CASE WHEN time IS NULL THEN 12 ELSE 0 END + CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 0 WHEN score_given_1 IS NULL THEN 16 ELSE 48 END + CASE WHEN (score_2 - score_2 = 0) THEN 0 WHEN score_given_2 IS NULL THEN 64 ELSE 192 END END AS marked_1
    FROM judged
),
weighed AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN plain THEN total / 2 WHEN (marked_1 & (marked_1 >> 1) & 357913941) = 0 THEN (COALESCE(linked_1, 0) + COALESCE(linked_2, 0)) / NULLIF(CASE WHEN linked_1 IS NULL THEN 0 ELSE 1 END + CASE WHEN linked_2 IS NULL THEN 0 ELSE 1 END, 0) ELSE (CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN linked_1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN linked_2 ELSE 0 END) / NULLIF(CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN 1 ELSE 0 END, 0) END AS z
    FROM marked
),
mirrored AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN z * 2 < 1 THEN z ELSE 1 - z END AS edge
    FROM weighed
),
-- The ladder of the bins: 32 equal steps in each octave below one half, mirrored above it.
-- Powers of two only, so that every engine cuts at the same numbers; in four parts, so that few are compared with.
climbed AS NOT MATERIALIZED (
    SELECT
        *,
        CASE
            WHEN edge * 32 >= 1 THEN CASE
                WHEN edge * 2 >= 1 THEN 511
                WHEN edge * 4 >= 1 THEN 448 + FLOOR(edge * 128)
                WHEN edge * 8 >= 1 THEN 416 + FLOOR(edge * 256)
                WHEN edge * 16 >= 1 THEN 384 + FLOOR(edge * 512)
                ELSE 352 + FLOOR(edge * 1024)
            END
            WHEN edge * 512 >= 1 THEN CASE
                WHEN edge * 64 >= 1 THEN 320 + FLOOR(edge * 2048)
                WHEN edge * 128 >= 1 THEN 288 + FLOOR(edge * 4096)
                WHEN edge * 256 >= 1 THEN 256 + FLOOR(edge * 8192)
                ELSE 224 + FLOOR(edge * 16384)
            END
            WHEN edge * 8192 >= 1 THEN CASE
                WHEN edge * 1024 >= 1 THEN 192 + FLOOR(edge * 32768)
                WHEN edge * 2048 >= 1 THEN 160 + FLOOR(edge * 65536)
                WHEN edge * 4096 >= 1 THEN 128 + FLOOR(edge * 131072)
                ELSE 96 + FLOOR(edge * 262144)
            END
            ELSE CASE
                WHEN edge * 16384 >= 1 THEN 64 + FLOOR(edge * 524288)
                WHEN edge * 32768 >= 1 THEN 32 + FLOOR(edge * 1048576)
                ELSE FLOOR(edge * 2097152)
            END
        END AS rung
    FROM mirrored
),
observed AS NOT MATERIALIZED (
    SELECT
        *,
        (said_1 & (said_1 >> 1) & 357913941) = 0 AND (marked_1 & (marked_1 >> 1) & 357913941) = 0 AS sound,
        CASE
            WHEN z IS NULL THEN -1
            WHEN z * 2 < 1 THEN CAST(rung AS INTEGER)
            ELSE 1023 - CAST(rung AS INTEGER)
        END AS bin
    FROM climbed
),
kept AS (
    SELECT
        observed.*,
        wanted.atom,
        wanted.stratum,
        wanted.number
    FROM observed
    INNER JOIN stratawatch_wanted AS wanted ON wanted.said_1 = observed.said_1 AND wanted.bin = observed.bin
    -- One condition, not two: an engine is not to hash what is not sound.
    WHERE CASE WHEN observed.sound THEN observed.digest END COLLATE "C" < wanted.ceiling
),
ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY stratum ORDER BY digest COLLATE "C", atom, bin, time) AS place FROM kept
),
drawn AS MATERIALIZED (
    SELECT * FROM ranked WHERE place <= number
),
-- A second look at the window, for the rows that share an id with a candidate, sound or not.
copies AS (
    SELECT item, CAST(SUM(copies_given) AS BIGINT) AS copies FROM scored WHERE item IN (SELECT item FROM drawn) GROUP BY item
)
SELECT
    drawn.item,
    drawn.atom,
    drawn.digest,
    drawn.bin,
    drawn.time,
    copies.copies,
    drawn.segment_1,
    drawn.payload_1
FROM drawn
INNER JOIN copies ON copies.item = drawn.item
ORDER BY drawn.stratum, drawn.place
