"""The columns of a source: which there must be, and what kind of value each one holds."""

import difflib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
from stratawatch.errors import InputRefused

Kind = Literal["flag", "number", "text", "moment", "zoned", "other"]

_KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    (r"BOOLEAN", "flag"),
    (r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|NUMERIC.*|FLOAT|REAL|DOUBLE( PRECISION)?|\"?NULL\"?", "number"),
    (r"VARCHAR.*|TEXT|CHAR.*|ENUM.*|UUID", "text"),
    (r"TIMESTAMP.* WITH TIME ZONE|TIMESTAMPTZ.*", "zoned"),
    (r"TIMESTAMP.*|DATE", "moment"),
)


def kind_of(type_name: str) -> Kind:
    """The kind of value that a column of an SQL type holds."""
    if type_name.endswith("]"):  # a list of anything
        return "other"
    for pattern, kind in _KINDS:
        if re.fullmatch(pattern, type_name.upper()):
            return kind
    return "other"


def column_roles(panel: PanelSpec) -> Iterable[tuple[str, str, tuple[Kind, ...]]]:
    """Every column a panel needs: its name, what it is for, and the kinds of value that will do."""
    columns = panel.columns
    anything: tuple[Kind, ...] = ("flag", "number", "text", "moment", "zoned", "other")
    if columns.item == columns.time:  # while `check` looks at the rest, one stands in for the other
        yield columns.time, "the time", anything
    else:
        yield columns.item, "the item id", ("number", "text", "flag", "moment", "zoned")
        yield columns.time, "the time", ("moment", "zoned", "text")
    if columns.ingested is not None:
        yield columns.ingested, "the time of arrival", ("moment", "zoned", "text")
    if columns.classifier is not None:
        yield columns.classifier, "who says it", ("text", "number")
    for one in panel.classifiers:
        yield from classifier_roles(one)
    for auxiliary in panel.auxiliary:
        yield auxiliary.score, f"the auxiliary score '{auxiliary.name}'", ("number", "text")
    for name in columns.segments:
        yield name, "a segment", anything
    for name in columns.payload:
        yield name, "payload for labellers", anything
    if columns.cluster is not None:
        yield columns.cluster, "the cluster", anything


def classifier_roles(one: ClassifierSpec) -> Iterable[tuple[str, str, tuple[Kind, ...]]]:
    """The columns of one classifier, as `column_roles` yields them."""
    if one.score is not None:
        yield one.score, f"the score of classifier '{one.name}'", ("number", "text")
    if one.call is not None:
        yield one.call, f"the call of classifier '{one.name}'", ("flag", "number", "text")


def require_columns(panel: PanelSpec, found: Mapping[str, str]) -> None:
    """Refuse the input when a column is missing or cannot hold what it should."""
    for name, role, kinds in column_roles(panel):
        require(name, role, kinds, found, of=f" of panel '{panel.name}'")


def require(
    name: str, role: str, kinds: Sequence[Kind], found: Mapping[str, str], *, of: str = "", where: str = "the source"
) -> None:
    """Refuse the input when this column is missing or cannot hold what it should."""
    if name not in found:
        _require_delimiter(found, where)
        raise InputRefused(
            f"column {name!r} ({role}{of}) is missing in {where}",
            got="the columns " + list_names(found),
            hint=_hint(name, found),
        )
    if kind_of(found[name]) not in kinds:
        raise InputRefused(
            f"column {name!r} cannot be {role}",
            expected=" or ".join(_KIND_NAMES[kind] for kind in kinds),
            got=found[name],
            hint=f"give the source an export or a view in which it is {_KIND_NAMES[kinds[0]]}",
        )


def _require_delimiter(found: Mapping[str, str], where: str) -> None:
    """Refuse a CSV file that was read with another delimiter: it has one column, and every other one is missing."""
    (name, *others) = found or [""]
    marks = Counter(re.findall(r"[;,|\t]", name)).most_common(1)
    if marks and not others:
        raise InputRefused(
            f"the columns of {where} look like one line of a CSV file",
            got=repr(name),
            hint=f"set the source's delimiter: delimiter = {json.dumps(marks[0][0])}",
        )


def _hint(name: str, found: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(name, found, n=1)
    return f"did you mean {near[0]!r}?" if near else "correct the name, or add the column to the export"


_KIND_NAMES: Final[dict[Kind, str]] = {
    "flag": "a boolean",
    "number": "a number",
    "text": "a text",
    "moment": "a timestamp",
    "zoned": "a timestamp with time zone",
    "other": "anything",
}
_LISTED: Final = 40


def list_names(found: Collection[str]) -> str:
    """The names of columns as text, the first forty of them."""
    names = [repr(name) for name in list(found)[:_LISTED]]
    rest = len(found) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest else "")
