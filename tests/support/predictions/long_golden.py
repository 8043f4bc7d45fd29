"""The golden items as a table with a row for each item and classifier."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.support.predictions import golden_draw as golden
from tests.support.predictions.tables import Table


def turned(table: Table) -> Table:
    """The golden table, long: a row for each item and each of the three classifiers."""
    kept = ("id", "ts", "body", "lang", "author")
    speakers = (("lr", "p_lr", "is_lr"), ("svm-3", "margin", None), ('odd "name"; drop', 'p "odd"; drop', None))
    number = len(table["id"][1])

    def column(make: Callable[[int, tuple[str, str, str | None]], Any]) -> list[Any]:
        return [make(i, speaker) for i in range(number) for speaker in speakers]

    return {
        **{name: (table[name][0], column(lambda i, _, name=name: table[name][1][i])) for name in kept},
        "model": ("VARCHAR", column(lambda _, one: one[0])),
        "score": ("DOUBLE", column(lambda i, one: table[one[1]][1][i])),
        "call": ("BOOLEAN", column(lambda i, one: None if one[2] is None else table[one[2]][1][i])),
    }


LONG_GOLDEN = replace(
    golden.PANEL,
    columns=replace(golden.PANEL.columns, classifier="model"),
    classifiers=(
        replace(golden.PANEL.classifiers[0], score="score", call="call"),
        replace(golden.PANEL.classifiers[1], score="score", called="svm-3"),
        replace(golden.PANEL.classifiers[2], score="score"),
    ),
)
