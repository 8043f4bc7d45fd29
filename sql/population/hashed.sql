-- The hash of every item, before anything is worked out that only the drawn items need.
hashed AS NOT MATERIALIZED (
    SELECT *, MD5(${seed} || ':' || item) AS digest FROM called
),
