"""Tables of predictions of many shapes, each with what a person would say of its columns."""

from dataclasses import dataclass
from pathlib import Path

import duckdb
from hypothesis import strategies as st

_ITEMS = ("id", "message_id", "Item ID", "uuid", "it's an id")
_TIMES = ("scored_at", "ts", "Timestamp", "created at", "event_time")
_MODELS = ("lr", "rf", "big-net", "svm2")
_MOMENT = "(TIMESTAMPTZ '2026-01-05 00:05:00+00' + INTERVAL (j * {seconds}) SECOND)"
_TIME_FORMS = {
    "zoned": "{at}",
    "naive": "{at} AT TIME ZONE 'UTC'",
    "text with offset": "STRFTIME({at}, '%Y-%m-%dT%H:%M:%SZ')",
    "naive text": "STRFTIME({at}, '%Y-%m-%d %H:%M:%S')",
}
_PROBABILITY = "((j * {a} + {b}) % 1009) / 1009.0"
_MARGIN = "(((j * {a} + {b}) % 1009) / 1009.0 - 0.5) * 9"
_CALLS = {
    "flag": "({score} >= {cut})",
    "number": "CAST({score} >= {cut} AS INTEGER)",
    "words": "CASE WHEN {score} >= {cut} THEN 'spam' ELSE 'ham' END",
    "holes": "CASE WHEN j % 7 = 0 THEN NULL WHEN {score} >= {cut} THEN 'yes' ELSE 'no' END",
}


@dataclass(frozen=True)
class PredictionTable:
    """The columns with their SQL over i (rows) and j (items), in their order, and what is what."""

    columns: tuple[tuple[str, str], ...]
    rows: int
    rows_an_item: int
    ending: str
    item: str
    time: str
    classifiers: frozenset[str]
    """Of a table with classes the panels, which have a classifier each."""
    has_classes: bool
    hidden: frozenset[str]
    """Columns that nobody may be shown, and no classifier may be made of."""

    def write(self, folder: Path) -> Path:
        """Write the table into a file."""
        path = folder / f"predictions.{self.ending}"
        selected = ", ".join(f"{sql} AS {_quoted(name)}" for name, sql in self.columns)
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(
                f"COPY (SELECT {selected} FROM (SELECT i, i // {self.rows_an_item} AS j FROM range({self.rows}) t(i))) "
                f"TO '{path}'"
            )
        return path


@st.composite
def prediction_tables(draw: st.DrawFn) -> PredictionTable:
    """Tables that a person would find well made: wide, long, or with a score for each class."""
    item, time = draw(st.sampled_from(_ITEMS)), draw(st.sampled_from(_TIMES))
    items, seconds = draw(st.integers(120, 400)), draw(st.sampled_from((60, 600, 4000)))
    at = _MOMENT.format(seconds=seconds)
    columns = [
        (item, draw(st.sampled_from(("j", "'m-' || j")))),
        (time, _TIME_FORMS[draw(st.sampled_from(sorted(_TIME_FORMS)))].format(at=at)),
    ]
    layout = draw(st.sampled_from(("wide", "long", "classes")))
    hidden = set[str]()
    if draw(st.booleans()):
        columns.append(("text", "'a message with the number ' || j"))
    if draw(st.booleans()):
        columns.append(("country", "['DE', 'FR', 'IT'][j % 3 + 1]"))
    if draw(st.booleans()):
        truth = draw(st.sampled_from(("label", "y_true", "is_spam", "target")))
        columns.append((truth, "CAST(HASH(j) % 5 = 0 AS INTEGER)"))
        hidden.add(truth)
    if draw(st.booleans()):
        columns.append(("is_mobile", "HASH(j + 7) % 3 = 0"))
        hidden.add("is_mobile")
    if draw(st.booleans()):
        columns.append(("reviewer_comment", "'somebody wrote this about ' || j"))
        hidden.add("reviewer_comment")
    answers, names, rows_an_item = draw({"wide": _wide(), "long": _long(), "classes": _classes()}[layout])
    columns = draw(st.permutations([*columns, *answers]))
    hidden |= {name for name, _ in answers}
    ending = draw(st.sampled_from(("parquet", "csv")))
    shape = (tuple(columns), items * rows_an_item, rows_an_item, ending, item, time)
    return PredictionTable(*shape, frozenset(names), layout == "classes", frozenset(hidden))


@st.composite
def _wide(draw: st.DrawFn) -> tuple[list[tuple[str, str]], set[str], int]:
    """A few classifiers: a score, a call, or both, under names in one form."""
    models = draw(st.lists(st.sampled_from(_MODELS), min_size=1, max_size=4, unique=True))
    score_form = draw(st.sampled_from(("score_{}", "{}_prob", "p_{}", "{} Score")))
    call_form = draw(st.sampled_from(("pred_{}", "{}_call", "{} decision")))
    columns = []
    for number, name in enumerate(models):
        margin = draw(st.booleans())
        score = (_MARGIN if margin else _PROBABILITY).format(a=7919 + 2 * number, b=31 * number)
        has = draw(st.sampled_from(("both", "score", "call")))
        given = f"CASE WHEN j % 101 = 3 THEN CAST('nan' AS DOUBLE) ELSE {score} END" if draw(st.booleans()) else score
        if has != "call":
            columns.append((score_form.format(name), given))
        if has != "score":
            form = _CALLS[draw(st.sampled_from(sorted(_CALLS)))]
            columns.append((call_form.format(name), form.format(score=score, cut=0.7 if not margin else 0.5)))
    return columns, {name.replace("-", "_") for name in models}, 1


@st.composite
def _long(draw: st.DrawFn) -> tuple[list[tuple[str, str]], set[str], int]:
    """A row for each item and classifier."""
    models = draw(st.lists(st.sampled_from(_MODELS), min_size=2, max_size=4, unique=True))
    of_row = f"i % {len(models)}"
    listed = ", ".join(f"'{name}'" for name in models)
    score = _PROBABILITY.format(a="(7919 + 2 * (i % 4))", b=0)
    columns = [("model", f"[{listed}][{of_row} + 1]"), ("score", score)]
    if draw(st.booleans()):
        form = _CALLS[draw(st.sampled_from(("flag", "number", "words")))]
        columns.append(("decision", form.format(score=score, cut=0.6)))
    return columns, set(models), len(models)


@st.composite
def _classes(draw: st.DrawFn) -> tuple[list[tuple[str, str]], set[str], int]:
    """One model with a probability for each of three classes, and perhaps the class that it calls."""
    classes = ("sport", "news", "tech")
    parts = [f"(0.01 + (j * {a} % 1009) / 1009.0)" for a in (7919, 104729, 31)]
    total = f"({' + '.join(parts)})"
    form = draw(st.sampled_from(("prob_{}", "{}_score")))
    columns = [(form.format(name), f"{part} / {total}") for name, part in zip(classes, parts, strict=True)]
    if draw(st.booleans()):
        largest = f"GREATEST({', '.join(parts)})"
        cases = " ".join(f"WHEN {part} = {largest} THEN '{name}'" for name, part in zip(classes, parts, strict=True))
        columns.append(("predicted", f"CASE {cases} END"))
    return columns, set(classes), 1


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
