"""What the one-row profile of a window must fulfil."""

from collections.abc import Iterator
from typing import Any

from stratawatch.adapters.checks.input_rules import (
    InputRule,
    Severity,
    Suite,
    between,
    frame_column,
    naive_utc,
    not_null,
)
from stratawatch.engine.input.bad_row_reasons import missing_scores_sentence, refusal_sentence
from stratawatch.engine.input.score_scale import scale_of
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.formatting import percent


def profile_suite(panel: PanelSpec, window: Window, profile: InputProfile) -> Suite:
    """The profile as a frame of one row, and its rules; the first critical failure is the refusal."""
    rules = tuple(_rules(panel, window, profile))
    return Suite("profile", "The whole window", _frame(panel, profile), rules, tuple(_facts(profile)))


def _facts(profile: InputProfile) -> Iterator[tuple[str, str]]:
    yield "rows", f"{profile.rows:,}"
    yield "rows set aside", f"{profile.bad_rows:,} ({percent(_share(profile.bad_rows, profile.rows))})"
    yield "rows without an item id", f"{profile.null_items:,}"
    for number, what in (
        (profile.null_times, "rows without a time"),
        (profile.late, "rows dated before the window, arrived in it"),
        (profile.early, "rows dated after the window, arrived in it"),
        (profile.repeated, "ids of several rows, of which the newest counts"),
    ):
        if number is not None:
            yield what, f"{number:,}"
    yield "first and last time", f"{profile.first_time} to {profile.last_time}" if profile.first_time else "none"
    for name, column in profile.columns.items():
        calls = f"{column['positives']:,} called positive, {column['nulls']:,} silent, {column['invalid']:,} unreadable"
        scores = f"{column['score_nulls']:,} missing, {column['score_invalid']:,} unreadable or out of range"
        yield f"calls of {name}", calls
        yield f"scores of {name}", scores
        if name in profile.ranges:
            yield f"lowest and highest score of {name}", "{:g} to {:g}".format(*profile.ranges[name])


def _frame(panel: PanelSpec, profile: InputProfile) -> dict[str, list[Any]]:
    rows = profile.rows
    frame: dict[str, list[Any]] = {
        "rows": [rows],
        "bad_rows": [profile.bad_rows],
        "bad_share": [_share(profile.bad_rows, rows)],
        "null_items": [profile.null_items],
        "null_times": [profile.null_times],
        "late": [profile.late],
        "early": [profile.early],
        "repeated": [profile.repeated],
        "first_time": [profile.first_time and naive_utc(profile.first_time)],
        "last_time": [profile.last_time and naive_utc(profile.last_time)],
        "calls": [max((_calls(column, rows) for column in profile.columns.values()), default=0)],
    }
    unreadable = _unreadable(panel, profile)
    for name, column in profile.columns.items():
        frame[frame_column("calls of", name)] = [_calls(column, rows)]
        frame[frame_column("positives of", name)] = [column["positives"]]
        frame[frame_column("positive share of", name)] = [_share(column["positives"], _calls(column, rows))]
        frame[frame_column("unreadable share of", name)] = [_share(unreadable[name], rows)]
        frame[frame_column("share without a score of", name)] = [_share(column["score_nulls"], rows)]
        lowest, highest = profile.ranges.get(name, (None, None))
        frame[frame_column("lowest score of", name)], frame[frame_column("highest score of", name)] = (
            [lowest],
            [highest],
        )
    return frame


def _rules(panel: PanelSpec, window: Window, profile: InputProfile) -> Iterator[InputRule]:
    cap, rows = panel.max_bad_row_share, profile.rows
    yield between("rows", f"the window {window} has no rows", min_value=1)
    too_many = "; ".join([refusal_sentence(panel, profile), *_scales(panel, profile)])
    yield between("bad_share", too_many, min_value=0, max_value=cap)
    for one in panel.classifiers:
        sentence = missing_scores_sentence(panel, one, profile)
        # In a long table an item has a row for each classifier that scored it: not all need to.
        may_be_partial = panel.columns.classifier is not None
        severity: Severity = "warning" if may_be_partial and panel.max_missing_score_share is None else "critical"
        column = frame_column("share without a score of", one.name)
        yield between(column, sentence, severity, max_value=panel.missing_score_cap)
    if rows:
        yield from _calls_rules(panel, profile)
        yield not_null("last_time", f"no row of the window {window} has a time")
        if panel.columns.ingested is None:
            start, end = naive_utc(window.start), naive_utc(window.end)
            outside = f"the newest row, of {profile.last_time}, lies outside the window {window}"
            yield between("last_time", outside, min_value=start, max_value=end, strict_max=True)


def _scales(panel: PanelSpec, profile: InputProfile) -> Iterator[str]:
    """What scores that are no probabilities look like: the remedy depends on it."""
    for one in panel.classifiers:
        if one.score_kind == "probability" and one.name in profile.unreadable:
            low, high = profile.unreadable[one.name]
            scale = scale_of(low, high)
            divide = "divide by 100" if scale == "percentages" else "divide them"
            remedy = 'set score_kind = "margin"' if low < 0 else f"{divide}, or send probabilities"
            yield (
                f"the unreadable scores of '{one.name}' lie between {low:g} and {high:g}, which looks like "
                f"{scale}: {remedy}"
            )


def _calls_rules(panel: PanelSpec, profile: InputProfile) -> Iterator[InputRule]:
    nobody = f"no classifier of panel '{panel.name}' made a call on any of {profile.rows:,} rows"
    yield between("calls", nobody, min_value=1)
    for name, unreadable in _unreadable(panel, profile).items():
        silent = f"classifier '{name}' made no call on any of {profile.rows:,} rows"
        yield between(frame_column("calls of", name), silent, "warning", min_value=1)
        invalid = f"{unreadable:,} values of classifier '{name}' cannot be read"
        yield between(frame_column("unreadable share of", name), invalid, "warning", max_value=panel.max_bad_row_share)
    for one in panel.classifiers:
        if one.call_yes is not None and _calls(profile.columns[one.name], profile.rows):
            nowhere = f"no row has call_yes = {one.call_yes!r} in column '{one.call}'; is it written exactly so there?"
            sentence = f"classifier '{one.name}' called nothing positive: {nowhere}"
            yield between(frame_column("positives of", one.name), sentence, "warning", min_value=1)


def _unreadable(panel: PanelSpec, profile: InputProfile) -> dict[str, int]:
    """Values of each classifier; a call that is made from an unreadable score is no value of its own."""
    kinds = {one.name: ["score_invalid", *(["invalid"] if one.call else [])] for one in panel.classifiers}
    return {name: sum(profile.columns[name][kind] for kind in kinds[name]) for name in kinds}


def _calls(column: Any, rows: int) -> int:
    return rows - int(column["nulls"]) - int(column["invalid"])


def _share(part: int, rows: int) -> float:
    return part / rows if rows else 0.0
