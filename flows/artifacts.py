"""Artifacts for the Prefect UI: the plan, the estimates, baselines, and a link to the report."""

import re
from collections.abc import Sequence
from pathlib import Path
from platform import node
from typing import Final
from urllib.parse import quote

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from stratawatch.core.alarms.alarm_states import MEANINGS
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.population import Atom
from stratawatch.core.stratification.stratum_atoms import atoms_by_stratum
from stratawatch.engine.baselines.current_baselines import current_baselines
from stratawatch.engine.model.alarm_records import StreamState
from stratawatch.engine.model.cycle_facts import Cycle, Round
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.engine.ports import Ports
from stratawatch.formatting import estimate_text, minute, percent, score_text


def show_plan(ports: Ports, cycle_id: int) -> None:
    """Show the newest round's plan: labels for each stratum, and the expected half-widths."""
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        atoms = tx.cycles.atoms(cycle_id)
        newest = tx.rounds.of(cycle_id)[-1]
    create_markdown_artifact(
        plan_page(cycle, atoms, newest),
        key=artifact_key("plan", cycle.panel),
        description=f"{cycle.panel}, window {cycle.window}, round {newest.ordinal}",
    )


def show_estimates(ports: Ports, cycle_id: int) -> None:
    """Show the newest revision's estimates with their alarm states."""
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        revision = tx.estimates.latest(cycle_id)
        states = tx.alarms.of_cycle(cycle_id)
    if revision is None:
        return
    create_table_artifact(
        estimate_rows(revision.estimates, states),
        key=artifact_key("estimates", cycle.panel),
        description=f"{cycle.panel}, window {cycle.window}, revision {revision.number}",
    )


def show_report(ports: Ports, path: Path, folder: Path, address: str | None) -> None:
    """Show a link to the report, and the state of every stream.

    The link leads below `address`, where a web server shows `folder`. Without one the artifact says where the report
    is: a browser does not open a file:// link of a page that came by HTTP, and the file may be on another machine.
    """
    with ports.store.begin() as tx:
        states = tx.alarms.current_states()
    if address is None:
        place = f"The report is `{path.resolve()}` on {node()}. Set `[report] url` to have a link here."
        create_markdown_artifact(place, key="report", description="where the health report is")
    else:
        link = f"{address.rstrip('/')}/{quote(path.relative_to(folder).as_posix())}"
        create_link_artifact(link, link_text=path.name, key="report", description="the health report")
    create_markdown_artifact(states_page(states), key="report-states", description="where every stream stands")


def show_baselines(ports: Ports, spec: PanelSpec) -> None:
    """Show every baseline of a panel, with the dates that it is in force for, and whether it is now."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        kept, used = tx.baselines.of(spec.name), current_baselines(tx, spec, now, measured_by=now)
    create_table_artifact(
        baseline_rows(kept, list(used.values())),
        key=artifact_key("baselines", spec.name),
        description=f"{spec.name}, its baselines; in force: at {minute(now)}",
    )


def artifact_key(kind: str, panel: str) -> str:
    """A key Prefect accepts: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", f"{kind}-{panel.lower()}").strip("-")


def plan_page(cycle: Cycle, atoms: Sequence[Atom], newest: Round) -> str:
    """The plan as markdown."""
    plan = newest.plan
    aims = [
        f"| {_cell(classifier)} | {_cell(metric)} | ±{percent(width, width)} |"
        for (classifier, metric), width in sorted(plan.half_widths.items())
    ]
    strata = [
        f"| {stratum.pattern_text} | {score_text(stratum.mean_score) or 'none'} | {stratum.items} | {total} |"
        for stratum, total in zip(atoms_by_stratum(atoms), plan.totals, strict=True)
    ]
    return "\n".join(
        [
            f"# {_cell(cycle.panel)}, round {newest.ordinal}: {plan.labels} labels so far",
            f"Window {cycle.window}, method {plan.method}.",
            "",
            *[f"- Input: {_cell(warning)}" for warning in (cycle.profile.warnings if cycle.profile else ())],
            "",
            "| classifier | metric | expected half-width |",
            "|---|---|---|",
            *aims,
            "",
            "| patterns | mean score | items | labels |",
            "|---|---|---|---|",
            *strata,
        ]
    )


def estimate_rows(estimates: Sequence[Estimate], states: Sequence[StreamState]) -> list[dict[str, str | int]]:
    """The estimates as table rows, with the reason where one is undefined."""
    by_stream = {(s.key.classifier, s.key.metric, s.key.segment): s for s in states}
    return [
        {
            "classifier": estimate.classifier,
            "metric": estimate.metric,
            "segment": _segment(estimate) or "all",
            "estimate": _estimate_or_reason(estimate),
            "labels used": estimate.labels_used,
            "state": by_stream[key].state.value if key in by_stream else "no limit",
        }
        for estimate in estimates
        for key in [(estimate.classifier, estimate.metric, _segment(estimate))]
    ]


def baseline_rows(kept: Sequence[StoredBaseline], used: Sequence[StoredBaseline]) -> list[dict[str, str | int]]:
    """Baselines as table rows; those that are used are in force."""
    return [
        {
            "classifier": one.key.classifier,
            "metric": one.key.metric,
            "segment": one.key.segment or "all",
            "baseline": estimate_text(one.estimate.value, one.estimate.low, one.estimate.high, one.confidence),
            "rests on": f"{one.n} {one.counted}s",
            "from": minute(one.valid_from),
            "until": minute(one.valid_until) if one.valid_until else "further notice",
            "in force": "yes" if one in used else "",
            "source": one.source,
        }
        for one in kept
    ]


def states_page(states: Sequence[StreamState]) -> str:
    """Streams with their states as markdown, or a sentence that there is none."""
    if not states:
        return "No stream has been judged yet."
    rows = [f"| {_cell(str(s.key))} | {s.state.value}: {MEANINGS[s.state]} | {_cell(s.reason)} |" for s in states]
    return "\n".join(["| stream | state | why |", "|---|---|---|", *rows])


def _segment(estimate: Estimate) -> str | None:
    return str(estimate.segment) if estimate.segment else None


def _estimate_or_reason(estimate: Estimate) -> str:
    outcome = estimate.result
    if isinstance(outcome, IntervalEstimate):
        return estimate_text(outcome.value, outcome.low, outcome.high, estimate.confidence)
    return f"undefined: {outcome.reason}"


_MARKUP: Final = re.compile(r"([\\`*\[\]<>|#!])")


def _cell(text: str) -> str:
    """A text in markdown, on one line: what would be markup there, as a link or a tag, is text."""
    return _MARKUP.sub(r"\\\1", text.replace("\n", " "))
