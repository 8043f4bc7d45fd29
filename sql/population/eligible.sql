-- Only items whose hash is small enough for some bin of their pattern are looked at more closely.
hashed AS NOT MATERIALIZED (
    SELECT *, MD5(${seed} || ':' || item) AS digest FROM spelled
),
highest AS (
    SELECT pattern AS spelling, MAX(ceiling) AS highest_ceiling FROM wanted GROUP BY pattern
),
eligible AS NOT MATERIALIZED (
    SELECT hashed.*
    FROM hashed
    INNER JOIN highest ON highest.spelling = hashed.pattern
    WHERE hashed.digest COLLATE "C" < highest.highest_ceiling
),
