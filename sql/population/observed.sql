-- What both queries read: every row of the window, with what each classifier said and the bin of the mean score.
-- Auxiliary scores have the last letters of the pattern and no marks: one that cannot be read says nothing, no more.
-- Names of the source appear only in `named`, quoted; below it all names are the program's own.
-- Letters and marks are two bits each, fifteen of them in a word; 3 always means that something cannot be read.
-- said_1, ...: a letter a classifier (0 no, 1 yes, 2 silent).
-- marked_1, ...: the item's mark (1 where it stands for several rows), the time's (1 late, 2 early, where windows are cut
-- by arrival), then a mark a classifier (0 a valid score or nothing to read, 1 a null score).
named AS NOT MATERIALIZED (
    SELECT
        ${named}
    FROM ${population}
),
dated AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        ${times}
    FROM named
),
scored AS NOT MATERIALIZED (
    SELECT
        ${scored}
    FROM dated
    WHERE ${within}
),
${latest}linked AS NOT MATERIALIZED (
    SELECT
        ${linked}
    FROM ${standing}
),
spoken AS NOT MATERIALIZED (
    SELECT
        ${spoken}
    FROM linked
),
${hashed}-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
judged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN ${plain} THEN TRUE ELSE FALSE END AS plain
    FROM ${judged}
),
marked AS NOT MATERIALIZED (
    SELECT
        ${marked}
    FROM judged
),
weighed AS NOT MATERIALIZED (
    SELECT
        *,
        ${mean} AS z
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
        ${sound} AS sound,
        CASE
            WHEN z IS NULL THEN -1
            WHEN z * 2 < 1 THEN CAST(rung AS INTEGER)
            ELSE 1023 - CAST(rung AS INTEGER)
        END AS bin
    FROM climbed
)
