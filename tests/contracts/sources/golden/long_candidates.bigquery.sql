-- Not executed here: translated and parsed, but no BigQuery was at hand to run it.
WITH named AS (
  SELECT
    `id` AS item_given,
    `ts` AS time_given,
    `call of 1` AS call_given_1,
    `score of 1` AS score_given_1,
    `score of 2` AS score_given_2,
    CAST(`lang` AS STRING) AS segment_1,
    `rows of the item` AS copies_given,
    `body` AS payload_1
  FROM (
    WITH inside AS (
      SELECT
        *
      FROM (
        SELECT
          *,
          CAST(item_given AS STRING) AS item,
          CAST(time_given AS DATETIME) AS time
        FROM (
          SELECT
            `id` AS item_given,
            `ts` AS time_given,
            CAST(`model` AS STRING) AS speaker,
            `score` AS said_1,
            `call` AS said_2,
            CAST(`lang` AS STRING) AS kept_1,
            CAST(`body` AS STRING) AS kept_2
          FROM population
        ) AS named
      ) AS dated
      WHERE
        speaker IN ('lr', 'it\'s')
        AND (
          (
            time_given >= CAST('2026-01-05 00:00:00' AS DATETIME)
            AND time_given < CAST('2026-01-12 00:00:00' AS DATETIME)
          )
          OR time_given IS NULL
        )
    )
    SELECT
      item AS `id`,
      MIN(time) AS `ts`,
      MAX(CASE WHEN speaker = 'lr' THEN said_1 END) AS `score of 1`,
      MAX(
        CASE
          WHEN speaker = 'lr'
          THEN CASE WHEN said_2 THEN 1 WHEN NOT said_2 THEN 0 END
        END
      ) AS `call of 1`,
      MAX(CASE WHEN speaker = 'it\'s' THEN said_1 END) AS `score of 2`,
      MIN(kept_1) AS `lang`,
      MIN(kept_2) AS `body`,
      GREATEST(
        COUNT(CASE WHEN speaker = 'lr' THEN 1 END),
        COUNT(CASE WHEN speaker = 'it\'s' THEN 1 END)
      ) AS `rows of the item`
    FROM inside
    WHERE
      NOT item IS NULL
    GROUP BY
      item,
      CASE WHEN time IS NULL THEN 1 ELSE 0 END
    UNION ALL
    SELECT
      item AS `id`,
      time AS `ts`,
      CASE WHEN speaker = 'lr' THEN said_1 END AS `score of 1`,
      CASE
        WHEN speaker = 'lr'
        THEN CASE WHEN said_2 THEN 1 WHEN NOT said_2 THEN 0 END
      END AS `call of 1`,
      CASE WHEN speaker = 'it\'s' THEN said_1 END AS `score of 2`,
      kept_1 AS `lang`,
      kept_2 AS `body`,
      1 AS `rows of the item`
    FROM inside
    WHERE
      item IS NULL
  ) AS pivoted
), dated AS (
  SELECT
    *,
    CAST(item_given AS STRING) AS item,
    CAST(time_given AS DATETIME) AS time
  FROM named
), scored AS (
  SELECT
    *,
    CAST(score_given_1 AS FLOAT64) AS score_1,
    CAST(score_given_2 AS FLOAT64) AS score_2
  FROM dated
  WHERE
    (
      time_given >= CAST('2026-01-05 00:00:00' AS DATETIME)
      AND time_given < CAST('2026-01-12 00:00:00' AS DATETIME)
    )
    OR time_given IS NULL
), judged AS (
  SELECT
    *,
    CASE
      WHEN call_given_1 IS NULL
      THEN '-'
      WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 1
      THEN '1'
      WHEN call_given_1 - call_given_1 = 0 AND call_given_1 = 0
      THEN '0'
      ELSE '!'
    END AS letter_1,
    CASE
      WHEN score_given_2 IS NULL
      THEN '-'
      WHEN (
        score_2 - score_2 = 0
      ) AND score_2 >= CAST('0.5' AS FLOAT64)
      THEN '1'
      WHEN (
        score_2 - score_2 = 0
      )
      THEN '0'
      ELSE '!'
    END AS letter_2
  FROM scored
), spelled AS (
  SELECT
    *,
    CASE WHEN letter_1 = '0' AND letter_2 = '0' THEN '00' ELSE letter_1 || letter_2 END AS pattern
  FROM judged
), hashed AS (
  SELECT
    *,
    TO_HEX(MD5('it\'s golden' || ':' || item)) AS digest
  FROM spelled
), weighed AS (
  SELECT
    *,
    (
      score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1
    ) AS fine_1,
    (
      score_2 - score_2 = 0
    ) AS fine_2
  FROM hashed
), averaged AS (
  SELECT
    *,
    CASE
      WHEN CASE WHEN item IS NULL THEN '!' ELSE '.' END = '.'
      AND CASE WHEN time IS NULL THEN '!' ELSE '.' END = '.'
      AND fine_1
      AND fine_2
      THEN '..vv'
      ELSE CASE WHEN item IS NULL THEN '!' ELSE '.' END || CASE WHEN time IS NULL THEN '!' ELSE '.' END || CASE WHEN fine_1 THEN 'v' WHEN score_given_1 IS NULL THEN '-' ELSE '!' END || CASE WHEN fine_2 THEN 'v' WHEN score_given_2 IS NULL THEN '-' ELSE '!' END
    END AS marks,
    CASE
      WHEN fine_1 AND fine_2
      THEN (
        score_1 + 1 / (
          1 + EXP(-LEAST(GREATEST(score_2, -700), 700))
        )
      ) / 2
      ELSE (
        CASE WHEN fine_1 THEN score_1 ELSE 0 END + CASE
          WHEN fine_2
          THEN 1 / (
            1 + EXP(-LEAST(GREATEST(score_2, -700), 700))
          )
          ELSE 0
        END
      ) / NULLIF(CASE WHEN fine_1 THEN 1 ELSE 0 END + CASE WHEN fine_2 THEN 1 ELSE 0 END, 0)
    END AS z
  FROM weighed
), mirrored AS (
  SELECT
    *,
    CASE WHEN z * 2 < 1 THEN z ELSE 1 - z END AS edge
  FROM averaged
), climbed AS (
  SELECT
    *,
    CASE
      WHEN edge * 2 >= 1
      THEN 511
      WHEN edge * 4 >= 1
      THEN 480 + FLOOR((
        edge * 4 - 1
      ) * 32)
      WHEN edge * 8 >= 1
      THEN 448 + FLOOR((
        edge * 8 - 1
      ) * 32)
      WHEN edge * 16 >= 1
      THEN 416 + FLOOR((
        edge * 16 - 1
      ) * 32)
      WHEN edge * 32 >= 1
      THEN 384 + FLOOR((
        edge * 32 - 1
      ) * 32)
      WHEN edge * 64 >= 1
      THEN 352 + FLOOR((
        edge * 64 - 1
      ) * 32)
      WHEN edge * 128 >= 1
      THEN 320 + FLOOR((
        edge * 128 - 1
      ) * 32)
      WHEN edge * 256 >= 1
      THEN 288 + FLOOR((
        edge * 256 - 1
      ) * 32)
      WHEN edge * 512 >= 1
      THEN 256 + FLOOR((
        edge * 512 - 1
      ) * 32)
      WHEN edge * 1024 >= 1
      THEN 224 + FLOOR((
        edge * 1024 - 1
      ) * 32)
      WHEN edge * 2048 >= 1
      THEN 192 + FLOOR((
        edge * 2048 - 1
      ) * 32)
      WHEN edge * 4096 >= 1
      THEN 160 + FLOOR((
        edge * 4096 - 1
      ) * 32)
      WHEN edge * 8192 >= 1
      THEN 128 + FLOOR((
        edge * 8192 - 1
      ) * 32)
      WHEN edge * 16384 >= 1
      THEN 96 + FLOOR((
        edge * 16384 - 1
      ) * 32)
      WHEN edge * 32768 >= 1
      THEN 64 + FLOOR((
        edge * 32768 - 1
      ) * 32)
      WHEN edge * 65536 >= 1
      THEN 32 + FLOOR((
        edge * 65536 - 1
      ) * 32)
      ELSE FLOOR(edge * 65536 * 32)
    END AS rung
  FROM mirrored
), observed AS (
  SELECT
    *,
    pattern || marks NOT LIKE '%!%' AS sound,
    CASE
      WHEN z IS NULL
      THEN -1
      WHEN z * 2 < 1
      THEN CAST(rung AS INT64)
      ELSE 1023 - CAST(rung AS INT64)
    END AS bin
  FROM climbed
), kept AS (
  SELECT
    observed.*,
    wanted.atom,
    wanted.stratum,
    wanted.number
  FROM observed
  INNER JOIN wanted
    ON wanted.pattern = observed.pattern AND wanted.bin = observed.bin
  WHERE
    CASE WHEN observed.sound THEN observed.digest END < wanted.ceiling
), ranked AS (
  SELECT
    *,
    ROW_NUMBER() OVER (
      PARTITION BY stratum
      ORDER BY digest NULLS LAST, atom NULLS LAST, bin NULLS LAST, time NULLS LAST
    ) AS place
  FROM kept
), drawn AS (
  SELECT
    *
  FROM ranked
  WHERE
    place <= number
), copies AS (
  SELECT
    item,
    CAST(SUM(copies_given) AS INT64) AS copies
  FROM scored
  WHERE
    item IN (
      SELECT
        item
      FROM drawn
    )
  GROUP BY
    item
)
SELECT
  drawn.item,
  drawn.atom,
  drawn.digest,
  drawn.pattern,
  drawn.bin,
  drawn.time,
  copies.copies,
  drawn.segment_1,
  drawn.payload_1
FROM drawn
INNER JOIN copies
  ON copies.item = drawn.item
ORDER BY
  drawn.stratum NULLS LAST,
  drawn.place NULLS LAST
