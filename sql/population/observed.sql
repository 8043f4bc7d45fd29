-- What both queries read: every row of the window, with what each classifier said and the bin of the mean score.
-- Auxiliary scores have the last letters of the pattern and no marks: one that cannot be read says nothing, no more.
-- Names of the source appear only in `named`, quoted; below it all names are the program's own.
-- pattern: a letter a classifier (1, 0, - for silent, ! for unreadable).
-- marks: item, time, then a mark a classifier (. nothing to read, v valid score, - null score, ! missing or out of range).
-- The item's is r where it stands for several rows; the time's is l or e (late, early) where windows are cut by arrival.
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
${latest}judged AS NOT MATERIALIZED (
    SELECT
        ${letters}
    FROM ${standing}
),
spelled AS NOT MATERIALIZED (
    SELECT
        *,
        ${pattern} AS pattern
    FROM judged
),
${hashed}weighed AS NOT MATERIALIZED (
    SELECT
        ${fine}
    FROM ${weighed}
),
-- Most rows have every score, and what is said of them is known beforehand; only the others are spelled out.
averaged AS NOT MATERIALIZED (
    SELECT
        *,
        ${marks} AS marks,
        ${mean} AS z
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
