-- The census: one scan that counts the window by pattern and bin, as a whole and within every segment.
-- Rows that are not valid are counted too, so that the profile of the input needs no scan of its own.
WITH -- Every row of the window, with the call of each classifier and the bin of its mean score: what all queries read.
-- Auxiliary scores come last in the pattern and have no flags: one that cannot be read counts as no call.
-- Names of the source appear only in `renamed`, quoted; below it all names are the program's own.
-- Calls and flags are two bits each, fifteen of them packed into a word; 3 always means that something cannot be read.
-- calls_1, ...: a call a classifier (0 no, 1 yes, 2 no call).
-- flags_1, ...: the item's flag (1 where it stands for several rows), the time's (1 late, 2 early, where windows are cut
-- by arrival), then the flag of each classifier's score (0 valid or nothing to read, 1 null).
renamed AS NOT MATERIALIZED (
    SELECT
        "id" AS item_given,
        "ts" AS time_given,
        "is_lr" AS call_given_1,
        "p_lr" AS score_given_1,
        "margin" AS score_given_2,
        "p ""odd""; drop" AS score_given_3,
        CAST("lang" AS VARCHAR) COLLATE "C" AS segment_1
    FROM population
),
timed AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        CAST(time_given AS TIMESTAMP) AS time
    FROM renamed
),
scored AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN NOT CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_1 AS DOUBLE) END AS score_1,
        CASE WHEN NOT CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_2 AS DOUBLE) END AS score_2,
        CASE WHEN NOT CASE WHEN score_given_3 - score_given_3 = 0 THEN FALSE ELSE NOT ABS(score_given_3) = CAST('Infinity' AS DOUBLE) END THEN CAST(score_given_3 AS DOUBLE) END AS score_3
    FROM timed
    WHERE (time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP) AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)) OR time_given IS NULL
),
as_probability AS NOT MATERIALIZED (
    SELECT
        *,
        score_1 AS probability_1,
        CASE WHEN NOT score_2 IS NULL THEN 1 / (1 + EXP(-LEAST(GREATEST(score_2, -700), 700))) END AS probability_2,
        score_3 AS probability_3
    FROM scored
),
called AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN call_given_1 IS NULL THEN 2 WHEN call_given_1 THEN 1 ELSE 0 END + CASE WHEN (score_given_2 IS NULL OR CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END) THEN 8 WHEN (score_2 - score_2 = 0) AND score_2 >= CAST('0.5' AS DOUBLE) THEN 4 WHEN (score_2 - score_2 = 0) THEN 0 ELSE 12 END + CASE WHEN (score_given_3 IS NULL OR CASE WHEN score_given_3 - score_given_3 = 0 THEN FALSE ELSE NOT ABS(score_given_3) = CAST('Infinity' AS DOUBLE) END) THEN 32 WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) AND score_3 >= CAST('0.7' AS DOUBLE) THEN 16 WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN 0 ELSE 48 END AS calls_1,
        probability_1 + probability_2 + probability_3 AS total_score
    FROM as_probability
),
-- Of most rows everything can be read and nothing is missing; only the others are looked at score by score.
-- The total is finite only if all that it adds up is.
checked AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN total_score - total_score = 0 AND score_1 >= 0 AND score_1 <= 1 AND score_2 - score_2 = 0 AND score_3 >= 0 AND score_3 <= 1 AND NOT item IS NULL AND NOT time IS NULL THEN TRUE ELSE FALSE END AS is_clean
    FROM called
),
flagged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN is_clean THEN 0 ELSE CASE WHEN item IS NULL THEN 3 ELSE 0 END + CASE WHEN time IS NULL THEN 12 ELSE 0 END + CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 0 WHEN (score_given_1 IS NULL OR CASE WHEN score_given_1 - score_given_1 = 0 THEN FALSE ELSE NOT ABS(score_given_1) = CAST('Infinity' AS DOUBLE) END) THEN 16 ELSE 48 END + CASE WHEN (score_2 - score_2 = 0) THEN 0 WHEN (score_given_2 IS NULL OR CASE WHEN score_given_2 - score_given_2 = 0 THEN FALSE ELSE NOT ABS(score_given_2) = CAST('Infinity' AS DOUBLE) END) THEN 64 ELSE 192 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN 0 WHEN (score_given_3 IS NULL OR CASE WHEN score_given_3 - score_given_3 = 0 THEN FALSE ELSE NOT ABS(score_given_3) = CAST('Infinity' AS DOUBLE) END) THEN 256 ELSE 768 END END AS flags_1
    FROM checked
),
averaged AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN is_clean THEN total_score / 3 WHEN (flags_1 & (flags_1 >> 1) & 357913941) = 0 THEN (COALESCE(probability_1, 0) + COALESCE(probability_2, 0) + COALESCE(probability_3, 0)) / NULLIF(CASE WHEN probability_1 IS NULL THEN 0 ELSE 1 END + CASE WHEN probability_2 IS NULL THEN 0 ELSE 1 END + CASE WHEN probability_3 IS NULL THEN 0 ELSE 1 END, 0) ELSE (CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN probability_1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN probability_2 ELSE 0 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN probability_3 ELSE 0 END) / NULLIF(CASE WHEN (score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1) THEN 1 ELSE 0 END + CASE WHEN (score_2 - score_2 = 0) THEN 1 ELSE 0 END + CASE WHEN (score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1) THEN 1 ELSE 0 END, 0) END AS mean_score
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
        (calls_1 & (calls_1 >> 1) & 357913941) = 0 AND (flags_1 & (flags_1 >> 1) & 357913941) = 0 AS is_valid,
        CASE
            WHEN mean_score IS NULL THEN -1
            WHEN mean_score * 2 < 1 THEN CAST(bin_step AS INTEGER)
            ELSE 1023 - CAST(bin_step AS INTEGER)
        END AS bin
    FROM stepped
)
SELECT
    calls_1, flags_1,
    bin,
    CASE WHEN GROUPING(segment_1) = 0 THEN 1 ELSE 0 END AS segment_number,
    CASE WHEN GROUPING(segment_1) = 0 THEN segment_1 ELSE CAST(NULL AS VARCHAR) END AS segment_value,
    COUNT(*) AS items,
    MIN(time) AS first_time,
    MAX(time) AS last_time,
        MIN(score_1) AS low_1,
        MAX(score_1) AS high_1,
        MIN(score_2) AS low_2,
        MAX(score_2) AS high_2,
        MIN(score_3) AS low_3,
        MAX(score_3) AS high_3
FROM classified
GROUP BY GROUPING SETS ((calls_1, flags_1, bin), (calls_1, flags_1, bin, segment_1))
