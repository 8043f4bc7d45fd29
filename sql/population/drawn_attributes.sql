-- The attributes of the drawn items (segments, payload, cluster) are looked up in the window.
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
attributes AS MATERIALIZED (
    SELECT * FROM timed WHERE (${in_window}) AND item IN (SELECT item FROM drawn)
)
