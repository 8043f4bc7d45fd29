WITH named AS NOT MATERIALIZED (
  SELECT
    "id" AS item_given,
    "ts" AS time_given,
    "is_lr" AS call_given_1,
    "p_lr" AS score_given_1,
    "margin" AS score_given_2,
    "p ""odd""; drop" AS score_given_3,
    CAST("lang" AS TEXT) COLLATE "C" AS segment_1
  FROM population
), dated AS NOT MATERIALIZED (
  SELECT
    *,
    CAST(item_given AS TEXT) COLLATE "C" AS item,
    CAST(time_given AS TIMESTAMP) AS time
  FROM named
), scored AS NOT MATERIALIZED (
  SELECT
    *,
    CAST(score_given_1 AS DOUBLE PRECISION) AS score_1,
    CAST(score_given_2 AS DOUBLE PRECISION) AS score_2,
    CAST(score_given_3 AS DOUBLE PRECISION) AS score_3
  FROM dated
  WHERE
    (
      time_given >= CAST('2026-01-05 00:00:00' AS TIMESTAMP)
      AND time_given < CAST('2026-01-12 00:00:00' AS TIMESTAMP)
    )
    OR time_given IS NULL
), linked AS NOT MATERIALIZED (
  SELECT
    *,
    score_1 AS linked_1,
    CASE
      WHEN NOT score_2 IS NULL
      THEN CAST(1 AS DOUBLE PRECISION) / (
        1 + EXP(-LEAST(GREATEST(score_2, -700), 700))
      )
    END AS linked_2,
    score_3 AS linked_3
  FROM scored
), spoken AS NOT MATERIALIZED (
  SELECT
    *,
    CASE WHEN call_given_1 IS NULL THEN 2 WHEN call_given_1 THEN 1 ELSE 0 END + CASE
      WHEN score_given_2 IS NULL
      THEN 8
      WHEN (
        score_2 - score_2 = 0
      ) AND score_2 >= CAST('0.5' AS DOUBLE PRECISION)
      THEN 4
      WHEN (
        score_2 - score_2 = 0
      )
      THEN 0
      ELSE 12
    END + CASE
      WHEN score_given_3 IS NULL
      THEN 32
      WHEN (
        score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
      )
      AND score_3 >= CAST('0.7' AS DOUBLE PRECISION)
      THEN 16
      WHEN (
        score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
      )
      THEN 0
      ELSE 48
    END AS said_1,
    linked_1 + linked_2 + linked_3 AS total
  FROM linked
  OFFSET 0
), judged AS NOT MATERIALIZED (
  SELECT
    *,
    CASE
      WHEN total - total = 0
      AND score_1 >= 0
      AND score_1 <= 1
      AND score_2 - score_2 = 0
      AND score_3 >= 0
      AND score_3 <= 1
      AND NOT item IS NULL
      AND NOT time IS NULL
      THEN TRUE
      ELSE FALSE
    END AS plain
  FROM spoken
  OFFSET 0
), marked AS NOT MATERIALIZED (
  SELECT
    *,
    CASE
      WHEN plain
      THEN 0
      ELSE CASE WHEN item IS NULL THEN 3 ELSE 0 END + CASE WHEN time IS NULL THEN 12 ELSE 0 END + CASE
        WHEN (
          score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1
        )
        THEN 0
        WHEN score_given_1 IS NULL
        THEN 16
        ELSE 48
      END + CASE
        WHEN (
          score_2 - score_2 = 0
        )
        THEN 0
        WHEN score_given_2 IS NULL
        THEN 64
        ELSE 192
      END + CASE
        WHEN (
          score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
        )
        THEN 0
        WHEN score_given_3 IS NULL
        THEN 256
        ELSE 768
      END
    END AS marked_1
  FROM judged
  OFFSET 0
), weighed AS NOT MATERIALIZED (
  SELECT
    *,
    CASE
      WHEN plain
      THEN CAST(total AS DOUBLE PRECISION) / 3
      WHEN (
        marked_1 & (
          marked_1 >> 1
        ) & 357913941
      ) = 0
      THEN CAST((
        COALESCE(linked_1, 0) + COALESCE(linked_2, 0) + COALESCE(linked_3, 0)
      ) AS DOUBLE PRECISION) / NULLIF(
        CASE WHEN linked_1 IS NULL THEN 0 ELSE 1 END + CASE WHEN linked_2 IS NULL THEN 0 ELSE 1 END + CASE WHEN linked_3 IS NULL THEN 0 ELSE 1 END,
        0
      )
      ELSE CAST((
        CASE
          WHEN (
            score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1
          )
          THEN linked_1
          ELSE 0
        END + CASE WHEN (
          score_2 - score_2 = 0
        ) THEN linked_2 ELSE 0 END + CASE
          WHEN (
            score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
          )
          THEN linked_3
          ELSE 0
        END
      ) AS DOUBLE PRECISION) / NULLIF(
        CASE
          WHEN (
            score_1 - score_1 = 0 AND score_1 >= 0 AND score_1 <= 1
          )
          THEN 1
          ELSE 0
        END + CASE WHEN (
          score_2 - score_2 = 0
        ) THEN 1 ELSE 0 END + CASE
          WHEN (
            score_3 - score_3 = 0 AND score_3 >= 0 AND score_3 <= 1
          )
          THEN 1
          ELSE 0
        END,
        0
      )
    END AS z
  FROM marked
  OFFSET 0
), mirrored AS NOT MATERIALIZED (
  SELECT
    *,
    CASE WHEN z * 2 < 1 THEN z ELSE 1 - z END AS edge
  FROM weighed
  OFFSET 0
), climbed AS NOT MATERIALIZED (
  SELECT
    *,
    CASE
      WHEN edge * 32 >= 1
      THEN CASE
        WHEN edge * 2 >= 1
        THEN 511
        WHEN edge * 4 >= 1
        THEN 448 + FLOOR(edge * 128)
        WHEN edge * 8 >= 1
        THEN 416 + FLOOR(edge * 256)
        WHEN edge * 16 >= 1
        THEN 384 + FLOOR(edge * 512)
        ELSE 352 + FLOOR(edge * 1024)
      END
      WHEN edge * 512 >= 1
      THEN CASE
        WHEN edge * 64 >= 1
        THEN 320 + FLOOR(edge * 2048)
        WHEN edge * 128 >= 1
        THEN 288 + FLOOR(edge * 4096)
        WHEN edge * 256 >= 1
        THEN 256 + FLOOR(edge * 8192)
        ELSE 224 + FLOOR(edge * 16384)
      END
      WHEN edge * 8192 >= 1
      THEN CASE
        WHEN edge * 1024 >= 1
        THEN 192 + FLOOR(edge * 32768)
        WHEN edge * 2048 >= 1
        THEN 160 + FLOOR(edge * 65536)
        WHEN edge * 4096 >= 1
        THEN 128 + FLOOR(edge * 131072)
        ELSE 96 + FLOOR(edge * 262144)
      END
      ELSE CASE
        WHEN edge * 16384 >= 1
        THEN 64 + FLOOR(edge * 524288)
        WHEN edge * 32768 >= 1
        THEN 32 + FLOOR(edge * 1048576)
        ELSE FLOOR(edge * 2097152)
      END
    END AS rung
  FROM mirrored
  OFFSET 0
), observed AS NOT MATERIALIZED (
  SELECT
    *,
    (
      said_1 & (
        said_1 >> 1
      ) & 357913941
    ) = 0
    AND (
      marked_1 & (
        marked_1 >> 1
      ) & 357913941
    ) = 0 AS sound,
    CASE
      WHEN z IS NULL
      THEN -1
      WHEN z * 2 < 1
      THEN CAST(rung AS INT)
      ELSE 1023 - CAST(rung AS INT)
    END AS bin
  FROM climbed
)
SELECT
  SUBSTRING('01-!' FROM (
    said_1 & 3
  ) + 1 FOR 1) || SUBSTRING('01-!' FROM (
    (
      said_1 >> 2
    ) & 3
  ) + 1 FOR 1) || SUBSTRING('01-!' FROM (
    (
      said_1 >> 4
    ) & 3
  ) + 1 FOR 1) AS pattern,
  SUBSTRING('.r?!' FROM (
    marked_1 & 3
  ) + 1 FOR 1) || SUBSTRING('.le!' FROM (
    (
      marked_1 >> 2
    ) & 3
  ) + 1 FOR 1) || SUBSTRING('v-?!' FROM (
    (
      marked_1 >> 4
    ) & 3
  ) + 1 FOR 1) || SUBSTRING('v-?!' FROM (
    (
      marked_1 >> 6
    ) & 3
  ) + 1 FOR 1) || SUBSTRING('v-?!' FROM (
    (
      marked_1 >> 8
    ) & 3
  ) + 1 FOR 1) AS marks,
  item,
  time,
  CASE WHEN time IS NULL THEN CAST(time_given AS TEXT) END AS time_unread,
  CAST(call_given_1 AS TEXT) AS call_given_1,
  CAST(score_given_1 AS TEXT) AS score_given_1,
  CAST(score_given_2 AS TEXT) AS score_given_2,
  CAST(score_given_3 AS TEXT) AS score_given_3
FROM observed
WHERE
  NOT sound
ORDER BY
  CASE WHEN item IS NULL THEN 1 ELSE 0 END,
  MD5(item),
  marks,
  pattern,
  time
LIMIT 20
