"""What `check` says of a panel's windows: the newest one is assessed and planned as a cycle on it would be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from stratawatch.config.problems import Place, Problem
from stratawatch.errors import ConfigErrors, StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.input.assess_window import Refusal, WindowAssessment
    from stratawatch.engine.model.panel_spec import PanelSpec, Window
    from stratawatch.engine.ports import Ports

Facts = Mapping[str, str]

NEWEST: Final = "newest window"
WITH_ROWS: Final = "newest window with rows"


@dataclass
class WindowFindings:
    """What was found of a panel's windows."""

    facts: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)


def inspect_windows(ports: "Ports", spec: "PanelSpec", suites: Place) -> WindowFindings:
    """Look at the newest complete window; where it is empty, at the newest one that has rows as well.

    `suites` is the place of expectations that cannot be asked.
    """
    from stratawatch.engine.model.windows import newest_ended_period, window_of_period

    found, schedule = WindowFindings(), ("panels", spec.name, "schedule", "start")
    period = newest_ended_period(spec.windows, ports.clock.now())
    if period < 0:
        first = window_of_period(spec.windows, 0)
        found.problems.append(
            Problem(schedule, f"panel '{spec.name}' has no complete window yet", hint=f"the first is {first}")
        )
        return found
    source: Place = ("panels", spec.name, "source")
    try:
        if not _inspect(found, ports, spec, period, NEWEST):
            _inspect_older(found, ports, spec, period)
    except ConfigErrors as several:
        found.problems += [Problem.of(suites, trouble) for trouble in several.each]
    except StratawatchError as trouble:
        found.problems.append(Problem.of(source, trouble))
    return found


def _inspect_older(found: WindowFindings, ports: "Ports", spec: "PanelSpec", newest: int) -> None:
    """Say that the newest window is empty, and look at the newest one that is not."""
    from stratawatch.engine.input.newest_rows import newest_period_with_rows
    from stratawatch.engine.model.windows import window_of_period

    period = newest_period_with_rows(ports.sources[spec.name], spec, newest)
    window = window_of_period(spec.windows, newest)
    what = f"the {NEWEST} would be refused: the window {window} has no rows"
    if period is None:
        first = window_of_period(spec.windows, 0).start
        what += f", and no window since the start at {first:%Y-%m-%d %H:%M} UTC has any"
        hint = f"`start`, the column '{spec.columns.time}', or what the source is read from, is another than is meant"
        _add_unless_taken(found, ports, spec, newest, Problem(("panels", spec.name, "source"), what, hint=hint))
        return
    hint = f"is the export late? The {WITH_ROWS}, {window_of_period(spec.windows, period)}, was looked at instead"
    _add_unless_taken(found, ports, spec, newest, Problem(("panels", spec.name, "source"), what, hint=hint))
    _inspect(found, ports, spec, period, WITH_ROWS)


def _add_unless_taken(found: WindowFindings, ports: "Ports", spec: "PanelSpec", period: int, problem: Problem) -> None:
    """An empty window is no problem of a paused panel, nor once a cycle has read it: old rows may be forgotten."""
    from stratawatch.engine.model.states import CycleState

    with ports.store.begin() as tx:
        cycles = tx.cycles.find(panel=spec.name, before=period + 1, newest=1)
    unread = (CycleState.OPEN, CycleState.REFUSED)
    is_read = any(one.period == period and one.state not in unread for one in cycles)
    if not is_read and spec.name not in ports.paused.panels:
        found.problems.append(problem)


def _inspect(found: WindowFindings, ports: "Ports", spec: "PanelSpec", period: int, name: str) -> bool:
    """Assess a window and plan it; False where it is empty. A column that exists may hold no readable value."""
    from stratawatch.engine.evidence.cost_of_new_numbers import labels_not_reused
    from stratawatch.engine.input.assess_window import assess_window
    from stratawatch.engine.model.windows import window_of_period

    window = window_of_period(spec.windows, period)
    assessed = assess_window(ports, spec, window, period, opened_at=ports.clock.now(), with_candidates=True)
    profile = assessed.profile
    if not profile.rows:
        found.facts[name] = f"{window}: no rows"
        return False
    found.facts[name] = f"{window}: {profile.rows:,} rows, {profile.bad_rows:,} of them cannot be used"
    version = assessed.counted.source_version
    if isinstance(version, dict) and "files" in version:
        found.facts["read for it"] = f"{count_text(version['files'], 'file')}, {version['bytes']:,} bytes"
    if assessed.refusal is not None:
        found.problems.append(_refused(spec, assessed, assessed.refusal, f"the {name} {window}"))
        return True
    found.notices += _remarks(spec, assessed, window)
    _plan(found, ports, spec, period, assessed, f"the {name} {window}")
    drift = [str(finding) for finding in assessed.drift]
    warnings = [one for one in profile.warnings if one not in drift]
    with ports.store.begin() as tx:
        cost = labels_not_reused(tx, spec, period, assessed.labelled_before)
    remarks = {"drift": drift, "warnings": warnings, "random numbers": [cost.text] if cost else []}
    found.facts |= {key: "; ".join(sentences) for key, sentences in remarks.items() if sentences}
    return True


def _refused(spec: "PanelSpec", assessed: "WindowAssessment", refusal: "Refusal", window: str) -> Problem:
    """The sentence that a cycle on the window would keep, with values that could not be read."""
    from stratawatch.cli.call_values import call_yes_hint
    from stratawatch.engine.input.bad_row_reasons import examples_text

    hint = refusal.error.hint if refusal.error.hint not in refusal.sentence else ""
    hint = call_yes_hint(spec, assessed) or hint
    examples = examples_text(spec, assessed.profile, assessed.bad_rows)
    what = f"{window} would be refused: {refusal.sentence}"
    return Problem(("panels", spec.name, "source"), what, got=examples, hint=hint)


def _plan(
    found: WindowFindings, ports: "Ports", spec: "PanelSpec", period: int, assessed: "WindowAssessment", window: str
) -> None:
    """Plan a fit window as its cycle would, further votes and gold items paid for."""
    from stratawatch.engine.cycle.plan_preview import plan_assessed
    from stratawatch.engine.labels.vote_costs import further_share, with_item_budget

    with ports.store.begin() as tx:
        paid = with_item_budget(spec, further_share(tx, spec))
    try:
        plan_assessed(ports, paid, period, assessed)
    except StratawatchError as trouble:
        what = f"{window} cannot be planned: {trouble.what}"
        found.problems.append(Problem(("panels", spec.name), what, trouble.expected, trouble.got, trouble.hint))


def _remarks(spec: "PanelSpec", assessed: "WindowAssessment", window: "Window") -> Iterator[Problem]:
    """What no window is refused for, and what is hardly meant: limits on nobody, and a budget that cannot be spent."""
    census, place = assessed.counted.census, ("panels", spec.name)
    for segment in dict.fromkeys(one.segment for one in spec.limits if one.segment is not None):
        counts = census.segments.get(segment)
        if counts is None or not counts.sum():
            what = f"no row of the window {window} is in {segment}: limits on it are BLIND where that stays so"
            hint = f"is '{segment.value}' written as the column '{segment.column}' has it?"
            yield Problem((*place, "limits"), what, hint=hint)
    if spec.budget > census.size:
        items = count_text(census.size, "item")
        what = f"the budget of {spec.budget:,} labels is larger than the window {window}, of {items}"
        yield Problem((*place, "budget"), what, hint="every item of such a window would be asked about")
