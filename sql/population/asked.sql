-- The small table `wanted`: pattern, bin -> atom, its stratum, number to return of it, ceiling of the hash (hex text).
-- Its patterns as words.
asked AS (
    SELECT
        wanted.*,
        ${words}
    FROM wanted
)
