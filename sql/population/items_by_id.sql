-- The items of the window whose ids a small table names, each with its cell; it is joined before anything else is worked out.
-- The table of quotas says which atom a cell belongs to.
WITH ${classified}
SELECT
    classified.item,
    quotas.atom,
    classified.bin,
    classified.time${attributes}
FROM classified
INNER JOIN ${quotas} AS quotas ON ${same_cell}
WHERE classified.is_valid
ORDER BY classified.item, quotas.atom, classified.bin, classified.time
