"""Columns of decisions in place of columns of booleans."""

from typing import Any, Final

from tests.support.predictions.tables import Table

BLOCK: Final = 'it\'s {0} 100% $x \\ "blöck" 判'
"""What an unlucky export may call a yes."""
DECISIONS: Final[dict[str, tuple[str, str, Any, tuple[Any, ...]]]] = {
    "text": ("VARCHAR", BLOCK, BLOCK, ("allow", BLOCK.upper(), "1", f"{BLOCK} ")),
    "whole number": ("BIGINT", "-7", -7, (0, 1, 7, 2**62)),
    "number": ("DOUBLE", "2.5", 2.5, (0.0, 1.0, -2.5)),
}
"""The column's type, `call_yes`, the value of a yes, and those of a no."""


def decided(table: Table, name: str, column: str = "is_lr") -> Table:
    """The table with these decisions in a column that holds booleans."""
    kind, _, yes, others = DECISIONS[name]
    given = table[column][1]
    values = [None if one is None else yes if one else others[k % len(others)] for k, one in enumerate(given)]
    return {**table, column: (kind, values)}
