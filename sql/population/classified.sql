-- Every row of the window, with the call of each classifier and the bin of its mean score: what all queries read.
-- Auxiliary scores come last in the pattern and have no flags: one that cannot be read counts as no call.
-- Names of the source appear only in `renamed`, quoted; below it all names are the program's own.
-- Calls and flags are two bits each, fifteen of them packed into a word; 3 always means that something cannot be read.
-- calls_1, ...: a call a classifier (0 no, 1 yes, 2 no call).
-- flags_1, ...: the item's flag (1 where it stands for several rows), the time's (1 late, 2 early, where windows are cut
-- by arrival), then the flag of each classifier's score (0 valid or nothing to read, 1 null).
renamed AS NOT MATERIALIZED (
    SELECT
        ${renamed}
    FROM ${population}
),
timed AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        ${times}
    FROM renamed
),
scored AS NOT MATERIALIZED (
    SELECT
        ${scores}
    FROM timed
    WHERE ${in_window}
),
${newest_rows}as_probability AS NOT MATERIALIZED (
    SELECT
        ${probabilities}
    FROM ${current}
),
called AS NOT MATERIALIZED (
    SELECT
        ${calls}
    FROM as_probability
),
${hashed}-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN ${is_clean} THEN TRUE ELSE FALSE END AS is_clean
    FROM ${called}
),
flagged AS NOT MATERIALIZED (
    SELECT
        ${flags}
    FROM checked
),
averaged AS NOT MATERIALIZED (
    SELECT
        *,
        ${mean_score} AS mean_score
    FROM flagged
),
folded AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN mean_score * 2 < 1 THEN mean_score ELSE 1 - mean_score END AS folded_score
    FROM averaged
),
-- Bins are 32 equal steps in each octave below one half, mirrored above it.
-- Powers of two only, so that every engine cuts at the same numbers; in four parts, so that few are compared with.
stepped AS NOT MATERIALIZED (
    SELECT
        *,
        CASE
            WHEN folded_score * 32 >= 1 THEN CASE
                WHEN folded_score * 2 >= 1 THEN 511
                WHEN folded_score * 4 >= 1 THEN 448 + FLOOR(folded_score * 128)
                WHEN folded_score * 8 >= 1 THEN 416 + FLOOR(folded_score * 256)
                WHEN folded_score * 16 >= 1 THEN 384 + FLOOR(folded_score * 512)
                ELSE 352 + FLOOR(folded_score * 1024)
            END
            WHEN folded_score * 512 >= 1 THEN CASE
                WHEN folded_score * 64 >= 1 THEN 320 + FLOOR(folded_score * 2048)
                WHEN folded_score * 128 >= 1 THEN 288 + FLOOR(folded_score * 4096)
                WHEN folded_score * 256 >= 1 THEN 256 + FLOOR(folded_score * 8192)
                ELSE 224 + FLOOR(folded_score * 16384)
            END
            WHEN folded_score * 8192 >= 1 THEN CASE
                WHEN folded_score * 1024 >= 1 THEN 192 + FLOOR(folded_score * 32768)
                WHEN folded_score * 2048 >= 1 THEN 160 + FLOOR(folded_score * 65536)
                WHEN folded_score * 4096 >= 1 THEN 128 + FLOOR(folded_score * 131072)
                ELSE 96 + FLOOR(folded_score * 262144)
            END
            ELSE CASE
                WHEN folded_score * 16384 >= 1 THEN 64 + FLOOR(folded_score * 524288)
                WHEN folded_score * 32768 >= 1 THEN 32 + FLOOR(folded_score * 1048576)
                ELSE FLOOR(folded_score * 2097152)
            END
        END AS bin_step
    FROM folded
),
classified AS NOT MATERIALIZED (
    SELECT
        *,
        ${is_valid} AS is_valid,
        CASE
            WHEN mean_score IS NULL THEN -1
            WHEN mean_score * 2 < 1 THEN CAST(bin_step AS INTEGER)
            ELSE 1023 - CAST(bin_step AS INTEGER)
        END AS bin
    FROM stepped
)
