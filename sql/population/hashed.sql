-- The hash of every item; nothing that only the drawn items need is worked out before it.
hashed AS NOT MATERIALIZED (
    SELECT *, MD5(${seed} || ':' || item) AS digest FROM spoken
),
