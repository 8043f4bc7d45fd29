"""A proposal as a short configuration file."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final

from stratawatch.config.proposals.proposal import Proposal, ProposedClassifier, ProposedPanel
from stratawatch.config.proposals.propose import budget_of
from stratawatch.config.proposals.source_path import SourcePath
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.formatting import printable

_GUIDELINE: Final = "Say yes where the answer to the question is yes, else no. Skip what cannot be decided."
_WIDTH: Final = 44
_UNITS: Final = (("d", timedelta(days=1)), ("h", timedelta(hours=1)))

Value = str | int | float | bool | tuple[str, ...] | None


def written(proposal: Proposal, source: SourcePath, seed: str) -> str:
    """The configuration's text."""
    blocks = [_head(source), *(_panel(panel, proposal, source, seed) for panel in proposal.panels)]
    return "\n\n".join(blocks) + "\n"


def length_text(length: timedelta) -> str:
    """A length of time as the configuration says it.

    >>> length_text(timedelta(days=7)), length_text(timedelta(hours=12)), length_text(timedelta(minutes=90))
    ('7d', '12h', '90m')
    """
    for unit, size in _UNITS:
        if length % size == timedelta(0):
            return f"{length // size}{unit}"
    return f"{length // timedelta(minutes=1)}m"


def text_value(value: str) -> str:
    r"""A text as TOML's basic string.

    >>> text_value('say "a\n"')
    '"say \\"a\\u000a\\""'
    """
    marks = {'"': '\\"', "\\": "\\\\"} | {chr(code): f"\\u{code:04x}" for code in (*range(32), 127)}
    return f'"{"".join(marks.get(sign, sign) for sign in value)}"'


def _head(source: SourcePath) -> str:
    named = printable(source.path)
    return f"""\
# stratawatch.toml, proposed for {named}; read it, and change what is wrong.
# There are many more keys: `stratawatch init` in an empty folder writes them all, with what they mean.

[store]
url = "sqlite:///stratawatch.db"

[queue]
{_line("kind", "page", "where people label: `stratawatch web`")}
root = "queue"

[[alerts]]
kind = "console\""""


def _panel(panel: ProposedPanel, proposal: Proposal, source: SourcePath, seed: str) -> str:
    place, schedule = f"panels.{panel.name}", proposal.schedule
    columns: dict[str, Value] = {"item": proposal.item, "time": proposal.time, "classifier": proposal.classifier_column}
    few_lines = (
        _table(
            place,
            _line("question", panel.question),
            "# People read the guideline: say how to decide.",
            _line("guideline", _GUIDELINE),
            _line("seed", seed, "fixes the draw"),
            _line("budget", budget_of(proposal, panel), "labels a cycle, at most"),
            _line("deadline", "3d", "how long a cycle waits for them"),
            *([_line("duplicates", "latest", "the newest row of an item counts")] if proposal.takes_latest else ()),
        ),
        _table(
            f"{place}.source",
            _line("kind", "files"),
            _line("path", source.path),
            *([_line("allow_outside", True, "it is not in this folder")] if source.allow_outside else ()),
            *([_line("delimiter", source.delimiter)] if source.delimiter else ()),
        ),
        _table(
            f"{place}.columns",
            *(_line(key, value) for key, value in columns.items() if value is not None),
            _line("payload", proposal.payload, "what people see, and all they see"),
            *([_line("segments", proposal.segments, "slices with numbers of their own")] if proposal.segments else ()),
        ),
        _table(
            f"{place}.schedule",
            f"start = {schedule.start:%Y-%m-%dT%H:%M:%SZ}",
            _line("every", length_text(schedule.every)),
        ),
        _table(f"{place}.classifiers", *(f"{one.name} = {_inline(_keys(one))}" for one in panel.classifiers)),
        _goals(place),
        _table(f"[{place}.limits]", _line("metric", "precision"), _line("floor", 0.8, "how bad it may be")),
        _more_limits(place),
    )
    return "\n\n".join(few_lines)


def _goals(place: str) -> str:
    """The default goals, so that a budget goes weakly for the false-omission rate too."""
    first, *others = (_goal(place, metric_named(goal.metric)) for goal in DEFAULT_GOALS)
    said = "# A budget shared out for these two tells the false-omission rate about as well as random labels would."
    return "\n\n".join([f"{said}\n{first}", *others])


def _goal(place: str, metric: RatioMetric) -> str:
    margin = _line("margin", metric.default_margin, "how precisely to know it")
    return _table(f"[{place}.goals]", _line("metric", metric.name), margin)


def _more_limits(place: str) -> str:
    """Limits as a comment: nothing in predictions tells how much a classifier may miss."""
    limits = (("recall", "floor", 0.6), ("false_omission_rate", "ceiling", 0.02))
    lines = [
        line
        for name, end, value in limits
        for line in (f"[[{place}.limits]]", f'metric = "{name}"', f"{end} = {value}")
    ]
    return "\n".join(
        [
            "# How much may be missed? These two, without the #, with values of your own:",
            *(f"# {line}" for line in lines),
        ]
    )


def _table(name: str, *lines: str) -> str:
    return "\n".join([f"[{name}]", *lines])


def _keys(one: ProposedClassifier) -> Iterator[tuple[str, Value]]:
    yield "called", one.called
    yield "score", one.score
    if one.score is not None and one.score_kind != "probability":
        yield "score_kind", one.score_kind
    yield "cut_off", one.cut_off
    yield "call", one.call
    yield "call_yes", one.call_yes


def _inline(keys: Iterator[tuple[str, Value]]) -> str:
    said: Mapping[str, Value] = {key: value for key, value in keys if value is not None}
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in said.items()) + " }"


def _line(key: str, value: Value, comment: str = "") -> str:
    line = f"{key} = {_value(value)}"
    return f"{line:<{_WIDTH - 1}} # {comment}" if comment else line


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(text_value(one) for one in value)}]"
    return text_value(value) if isinstance(value, str) else str(value)
