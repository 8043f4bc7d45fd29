WITH named AS (
  SELECT
    `id` AS item_given,
    `ts` AS time_given,
    `loaded` AS arrived_given,
    `is_lr` AS call_given_1,
    `p_lr` AS score_given_1,
    `margin` AS score_given_2,
    `p "odd"; drop` AS score_given_3,
    CAST(`lang` AS STRING) COLLATE UTF8_BINARY AS segment_1,
    `body` AS payload_1,
    CAST(`author` AS STRING) AS cluster
  FROM population
), dated AS (
  SELECT
    *,
    CAST(item_given AS STRING) COLLATE UTF8_BINARY AS item,
    CAST(arrived_given AS TIMESTAMP_NTZ) AS arrived,
    CASE
      WHEN NOT CAST(arrived_given AS TIMESTAMP_NTZ) IS NULL
      THEN CAST(time_given AS TIMESTAMP_NTZ)
    END AS time
  FROM named
), scored AS (
  SELECT
    *,
    CAST(score_given_1 AS DOUBLE) AS score_1,
    CAST(score_given_2 AS DOUBLE) AS score_2,
    CAST(score_given_3 AS DOUBLE) AS score_3
  FROM dated
  WHERE
    (
      arrived_given >= CAST('2026-01-05 00:00:00+00:00' AS TIMESTAMP)
      AND arrived_given < CAST('2026-01-12 00:00:00+00:00' AS TIMESTAMP)
    )
    OR arrived_given IS NULL
), several AS (
  SELECT
    item AS id
  FROM scored
  WHERE
    NOT item IS NULL AND NOT time IS NULL
  GROUP BY
    item
  HAVING
    COUNT(*) > 1
), ordered AS (
  SELECT
    scored.*,
    TRUE AS repeated,
    ROW_NUMBER() OVER (
      PARTITION BY scored.item
      ORDER BY arrived DESC, time DESC, call_given_1 DESC, score_given_1 DESC, score_given_2 DESC, score_given_3 DESC, CAST(segment_1 AS STRING) COLLATE UTF8_BINARY DESC, CAST(payload_1 AS STRING) COLLATE UTF8_BINARY DESC, CAST(cluster AS STRING) COLLATE UTF8_BINARY DESC
    ) AS turn
  FROM scored
  INNER JOIN several
    ON several.id = scored.item
  WHERE
    NOT scored.time IS NULL
), standing AS (
  SELECT
    scored.*,
    FALSE AS repeated,
    1 AS turn
  FROM scored
  LEFT JOIN several
    ON several.id = scored.item
  WHERE
    several.id IS NULL OR scored.time IS NULL
  UNION ALL
  SELECT
    *
  FROM ordered
  WHERE
    turn = 1
), judged AS (
  SELECT
    *,
    CASE WHEN call_given_1 IS NULL THEN '-' WHEN call_given_1 THEN '1' ELSE '0' END AS letter_1,
    CASE
      WHEN score_given_2 IS NULL
      THEN '-'
      WHEN (
        score_2 - score_2 = 0
      ) AND score_2 >= CAST('0.5' AS DOUBLE)
      THEN '1'
      WHEN (
        score_2 - score_2 = 0
      )
      THEN '0'
      ELSE '!'
    END AS letter_2,
    CASE
      WHEN score_given_3 IS NULL
      THEN '-'
      WHEN (
        score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
      )
      AND score_3 >= CAST('0.7' AS DOUBLE)
      THEN '1'
      WHEN (
        score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
      )
      THEN '0'
      ELSE '!'
    END AS letter_3
  FROM standing
), spelled AS (
  SELECT
    *,
    CASE
      WHEN letter_1 = '0' AND letter_2 = '0' AND letter_3 = '0'
      THEN '000'
      ELSE letter_1 || letter_2 || letter_3
    END AS pattern
  FROM judged
), hashed AS (
  SELECT
    *,
    MD5('it\'s golden' || ':' || item) AS digest
  FROM spelled
), weighed AS (
  SELECT
    *,
    (
      score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1
    ) AS fine_1,
    (
      score_2 - score_2 = 0
    ) AS fine_2,
    (
      score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
    ) AS fine_3
  FROM hashed
), averaged AS (
  SELECT
    *,
    CASE
      WHEN CASE WHEN item IS NULL THEN '!' WHEN repeated THEN 'r' ELSE '.' END = '.'
      AND CASE
        WHEN time IS NULL
        THEN '!'
        WHEN time < CAST('2026-01-05 00:00:00' AS TIMESTAMP_NTZ)
        THEN 'l'
        WHEN time >= CAST('2026-01-12 00:00:00' AS TIMESTAMP_NTZ)
        THEN 'e'
        ELSE '.'
      END = '.'
      AND fine_1
      AND fine_2
      AND fine_3
      THEN '..vvv'
      ELSE CASE WHEN item IS NULL THEN '!' WHEN repeated THEN 'r' ELSE '.' END || CASE
        WHEN time IS NULL
        THEN '!'
        WHEN time < CAST('2026-01-05 00:00:00' AS TIMESTAMP_NTZ)
        THEN 'l'
        WHEN time >= CAST('2026-01-12 00:00:00' AS TIMESTAMP_NTZ)
        THEN 'e'
        ELSE '.'
      END || CASE WHEN fine_1 THEN 'v' WHEN score_given_1 IS NULL THEN '-' ELSE '!' END || CASE WHEN fine_2 THEN 'v' WHEN score_given_2 IS NULL THEN '-' ELSE '!' END || CASE WHEN fine_3 THEN 'v' WHEN score_given_3 IS NULL THEN '-' ELSE '!' END
    END AS marks,
    CASE
      WHEN fine_1 AND fine_2 AND fine_3
      THEN (
        score_1 + 1 / (
          1 + EXP(-LEAST(GREATEST(score_2, -700), 700))
        ) + score_3
      ) / 3
      ELSE (
        CASE WHEN fine_1 THEN score_1 ELSE 0 END + CASE
          WHEN fine_2
          THEN 1 / (
            1 + EXP(-LEAST(GREATEST(score_2, -700), 700))
          )
          ELSE 0
        END + CASE WHEN fine_3 THEN score_3 ELSE 0 END
      ) / NULLIF(
        CASE WHEN fine_1 THEN 1 ELSE 0 END + CASE WHEN fine_2 THEN 1 ELSE 0 END + CASE WHEN fine_3 THEN 1 ELSE 0 END,
        0
      )
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
      THEN CAST(rung AS INT)
      ELSE 1023 - CAST(rung AS INT)
    END AS bin
  FROM climbed
), kept AS (
  SELECT /*+ BROADCAST(wanted) */
    observed.*,
    wanted.atom,
    wanted.stratum,
    wanted.number
  FROM observed
  INNER JOIN wanted
    ON wanted.pattern = observed.pattern AND wanted.bin = observed.bin
  WHERE
    CASE WHEN observed.sound THEN observed.digest END COLLATE UTF8_BINARY < wanted.ceiling
), ranked AS (
  SELECT
    *,
    ROW_NUMBER() OVER (
      PARTITION BY stratum
      ORDER BY digest COLLATE UTF8_BINARY NULLS LAST, atom NULLS LAST, bin NULLS LAST, time NULLS LAST
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
    COUNT(*) AS copies
  FROM standing
  WHERE
    item IN (
      SELECT /*+ BROADCAST(drawn) */
        item
      FROM drawn
    )
  GROUP BY
    item
)
SELECT /*+ BROADCAST(drawn) */
  drawn.item,
  drawn.atom,
  drawn.digest,
  drawn.pattern,
  drawn.bin,
  drawn.time,
  copies.copies,
  drawn.segment_1,
  drawn.payload_1,
  drawn.cluster
FROM drawn
INNER JOIN copies
  ON copies.item = drawn.item
ORDER BY
  drawn.stratum NULLS LAST,
  drawn.place NULLS LAST
