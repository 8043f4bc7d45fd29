-- What else is to be known of the drawn items is looked up in the window.
named AS NOT MATERIALIZED (
    SELECT
        ${named}
    FROM ${population}
),
dated AS NOT MATERIALIZED (
    SELECT
        *,
        CAST(item_given AS VARCHAR) COLLATE "C" AS item,
        ${times}
    FROM named
),
found AS MATERIALIZED (
    SELECT * FROM dated WHERE (${within}) AND item IN (SELECT item FROM drawn)
)
