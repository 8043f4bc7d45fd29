"""What `check` looks at: the configuration, then source, store, queue and channels, each on its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratawatch.cli.check_configuration import Facts, configuration_facts
from stratawatch.cli.expected_pages import page_facts, pages_of_panels
from stratawatch.config.problems import ConfigProblems, Place, Problem
from stratawatch.errors import ConfigError, ConfigErrors, InputRefused, NoConnection, StratawatchError
from stratawatch.formatting import count_text, shortened

if TYPE_CHECKING:
    from datetime import datetime

    from stratawatch.adapters.alerts import ChannelSettings
    from stratawatch.adapters.truth import TruthSettings
    from stratawatch.config.loading import Configuration
    from stratawatch.engine.model.budget_ledger import BudgetState
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.ports import Clock, Ports
    from stratawatch.engine.ports.transaction import Transaction


@dataclass
class CheckReport:
    """What was found, by part, and what is wrong."""

    found: dict[str, Facts] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notices: tuple[Problem, ...] = ()
    refused: list[dict[str, Any]] = field(default_factory=list)
    """The cycles whose windows were refused, and what opens them again."""
    pages: list[dict[str, Any]] = field(default_factory=list)
    """In how many windows falls beyond each end of a limit would be paged."""


def check_installation(path: Path, clock: "Clock") -> CheckReport:
    """Check every part of an installation; a part that fails does not hide the others."""
    from stratawatch.config.loading import load_configuration

    report = CheckReport()
    try:
        configuration = load_configuration(path)
    except ConfigProblems as trouble:
        report.problems += trouble.problems
        return report
    except ConfigError as trouble:
        report.problems.append(Problem.of((), trouble))
        return report
    report.notices = configuration.notices
    report.found["configuration"] = configuration_facts(configuration)
    _look(report, configuration, "store", ("store", "url"), lambda: _store(configuration, clock.now()))
    _look_for_changes(report, configuration, clock.now())
    _look_for_left_panels(report, configuration)
    for name, rows in pages_of_panels(configuration, clock.now()).items():
        report.found[f"limits of {name}"] = page_facts(rows, configuration.panels[name].windows.unit)
        report.pages += [{"panel": name, **row} for row in rows]
    for index, truth in enumerate(configuration.settings.truth):
        place: Place = ("truth", index, *[local.key for local in truth.local_paths()][:1])
        _look(report, configuration, truth.name, place, partial(_truth, configuration, truth))
    _look_at_queue(report, configuration)
    _look(report, configuration, "checks", ("checks", "folder"), lambda: _checks(configuration))
    for name, spec in configuration.panels.items():
        _inspect_source(report, configuration, name, spec, clock)
    _inspect_channels(report, configuration)
    report.problems.sort(key=lambda problem: problem.line or 0)
    return report


def _look(
    report: CheckReport, configuration: "Configuration", part: str, place: Place, look: Callable[[], Facts]
) -> None:
    try:
        report.found[part] = look()
    except ConfigErrors as several:
        report.problems += [_placed(configuration, place, trouble) for trouble in several.each]
    except StratawatchError as trouble:
        report.problems.append(_placed(configuration, place, trouble))


def _look_at_queue(report: CheckReport, configuration: "Configuration") -> None:
    """Look at the queue; what is wrong stands at the key that its error names, or where the queue is."""
    settings = configuration.settings.queue
    missing = configuration.secrets_that_lead_nowhere([(("queue", *keys), one) for keys, one in settings.secrets()])
    report.problems += missing
    if missing:
        return
    keys = [local.key for local in settings.local_paths()] or ["url"]
    try:
        report.found["queue"] = _queue(configuration)
    except StratawatchError as trouble:
        report.problems.append(_placed(configuration, ("queue", trouble.key or keys[0]), trouble))


def _placed(configuration: "Configuration", place: Place, trouble: StratawatchError) -> Problem:
    return configuration.placed(Problem.of(place, trouble))


def _store(configuration: "Configuration", now: "datetime") -> Facts:
    from stratawatch.adapters.store import open_store
    from stratawatch.engine.cycle.budget_shares import shared_budget_states
    from stratawatch.engine.evidence.cost_of_new_numbers import pages_text

    store = open_store(configuration.store_url().get_secret_value())
    with store.begin() as tx:
        cycles = {name: str(len(tx.cycles.find(panel=name))) for name in tx.panels.latest()}
        newest = {name: tx.cycles.find(panel=name, newest=1) for name in configuration.panels}
        spans = shared_budget_states(tx) if configuration.settings.budget else ()
        facts = {f"baselines of {name}": _baselines(tx, spec, now) for name, spec in configuration.panels.items()}
        facts |= {f"gold items of {name}": _gold(tx, spec) for name, spec in configuration.panels.items()}
        facts |= {f"pages of {name}": pages_text(tx, name) for name in configuration.panels}
    baselines = {name: fact for name, fact in facts.items() if fact}
    counted = ", ".join(f"{name} {number}" for name, number in cycles.items())
    waiting = {
        f"windows of {name}": _waiting(spec, newest[name][-1].period if newest[name] else -1, now)
        for name, spec in configuration.panels.items()
    }
    return {**store.describe(), "cycles": counted or "none yet", **waiting, **baselines, **_spans(spans)}


def _gold(tx: "Transaction", spec: "PanelSpec") -> str:
    """How many gold items there are of the question that is asked now, and how many lack a column that is shown."""
    if spec.gold_share is None:
        return ""
    items = tx.gold.items(spec.name, tx.panels.question_key(spec))
    if not items:
        return "none yet, so nobody is asked for any: `stratawatch labels gold FILE` brings them in"
    bare = sum(not {*spec.columns.payload} <= {*one.payload} for one in items)
    unfit = f"; {bare:,} lack a column of the payload and are not asked for" if bare else ""
    return f"{sum(one.truth == 'yes' for one in items):,} yes, {sum(one.truth == 'no' for one in items):,} no{unfit}"


def _spans(spans: "Sequence[BudgetState]") -> Facts:
    """What became of a budget that panels share in its newest span."""
    return {"shared budget": spans[-1].sentence} if spans else {}


def _look_for_changes(report: CheckReport, configuration: "Configuration", now: "datetime") -> None:
    """Notice other questions, and channels and classifiers that left; report changed windows.

    A store that does not answer is told elsewhere.
    """
    from stratawatch.adapters.store import open_store
    from stratawatch.cli.changed_limits import limits_notice
    from stratawatch.cli.changed_questions import question_notice
    from stratawatch.cli.changed_settings import settings_notices
    from stratawatch.cli.left_channels import left_channel_notices
    from stratawatch.cli.left_classifiers import left_classifier_notices
    from stratawatch.cli.refused_windows import refused_rows
    from stratawatch.config.panel_specs import pauses_of
    from stratawatch.engine.cycle.open_cycles import require_same_windows

    try:
        store = open_store(configuration.store_url().get_secret_value())
        with store.begin() as tx:
            found = [
                question_notice(tx, spec, now, _guideline_key(configuration, name))
                for name, spec in configuration.panels.items()
            ]
            paused = pauses_of(configuration.settings.panels)
            found += left_channel_notices(tx, [one.name for one in configuration.settings.alerts])
            report.refused = refused_rows(tx, [name for name in configuration.panels if name not in paused.panels])
            for spec in configuration.panels.values():
                found.append(limits_notice(tx, spec))
                found += left_classifier_notices(tx, spec, paused)
                found += settings_notices(tx, spec, now)
                for newest in tx.cycles.find(panel=spec.name, newest=1):
                    try:
                        require_same_windows(tx, spec, newest)
                    except ConfigError as trouble:
                        report.problems.append(_placed(configuration, ("panels", spec.name, "schedule"), trouble))
    except StratawatchError:
        return
    report.notices += tuple(configuration.placed(notice) for notice in found if notice is not None)


def _look_for_left_panels(report: CheckReport, configuration: "Configuration") -> None:
    """Report panels of the store that are not configured: a problem while cycles of theirs wait for a decision."""
    from stratawatch.adapters.store import open_store
    from stratawatch.engine.cycle.left_panels import left_panels
    from stratawatch.engine.model.cycle_commands import retire_advice

    try:
        store = open_store(configuration.store_url().get_secret_value())
        with store.begin() as tx:
            left = left_panels(tx, configuration.panels)
    except StratawatchError:
        return  # the store's own part says what is wrong with it
    if left:
        names = (f"{one.name} ({count_text(len(one.cycles), 'cycle')} under way)" for one in left)
        report.found["store"] = {**report.found.get("store", {}), "panels not configured any more": ", ".join(names)}
    for one in left:
        if one.is_open:
            number = f"{count_text(len(one.cycles), 'cycle')} of it under way"
            incidents = f", {count_text(one.incidents, 'incident')} open" if one.incidents else ""
            what = f"panel '{one.name}' is not configured any more, and {number}{incidents}"
            hint = f"{retire_advice(one.name)}; or put the panel back"
            report.problems.append(Problem(("panels",), what, hint=hint))


def _guideline_key(configuration: "Configuration", name: str) -> str:
    return "guideline" if configuration.settings.panels[name].guideline_file is None else "guideline_file"


def _baselines(tx: "Transaction", spec: "PanelSpec", now: "datetime") -> str:
    """How many of the panel's metrics with a `max_drop` have a baseline now; empty where no limit has one."""
    from stratawatch.engine.alarms.alarm_streams import watched_streams
    from stratawatch.engine.baselines.current_baselines import current_baselines, other_call_rules

    keys = [key for key, limit in watched_streams(spec).items() if limit.max_drop is not None]
    if not keys:
        return ""
    there, dated = current_baselines(tx, spec, now), tx.baselines.in_force(spec.name, now)
    missing = [key for key in keys if key not in there]
    alone = sum(there[key].grid is None for key in keys if key in there) if spec.alarms == "evidence" else 0
    each = (
        f"; {alone} of these without labels that add up, so each window is judged by itself: "
        "measure from windows or from labels drawn at random"
        if alone
        else ""
    )
    if not missing:
        return f"in force for all {len(keys)} metrics with a max_drop{each}"
    another = [key for key in missing if other_call_rules(dated, key)]
    why = f", {len(another)} as what was measured is of another rule of saying yes" if another else ""
    return (
        f"{len(missing)} of {len(keys)} metrics with a max_drop have none in force and are BLIND{why}; "
        f"`stratawatch baseline measure {spec.name}` measures them{each}"
    )


def _waiting(spec: "PanelSpec", newest: int, now: "datetime") -> str:
    """How many windows are not opened yet and the labels they would ask for: a start far in the past means many."""
    from stratawatch.engine.model.windows import due_periods

    past = len(list(due_periods(spec.windows, now, newest)))
    if not past:
        return "none is waiting to be opened"
    chosen = "; `stratawatch open` begins once you say --newest N or --all" if newest < 0 and past > 1 else ""
    return f"{past:,} over and not opened yet: up to {past * spec.budget:,} labels{chosen}"


def _queue(configuration: "Configuration") -> Facts:
    from stratawatch.adapters.store import open_store
    from stratawatch.engine.labels.queue_identity import inspect_queue
    from stratawatch.engine.labels.reconcile_queue import AGAIN
    from stratawatch.engine.model.cycle_commands import cycle_command
    from stratawatch.wiring import queue

    port = queue(configuration)
    facts = port.describe()
    try:
        store = open_store(configuration.store_url().get_secret_value())
    except StratawatchError:
        return facts  # the store's own part says what is wrong with it
    inspect_queue(store, port)
    with store.begin() as tx:
        record = tx.labels.cursor(AGAIN)
    away = {f"batches {how}": record[how] for how in ("lost", "withdrawn") if record.get(how)}
    remedy = f"nobody is asked about them; `{cycle_command('resend')}` asks again"
    return {**facts, **{name: f"{len(keys)}, such as {keys[0]}: {remedy}" for name, keys in away.items()}}


def _truth(configuration: "Configuration", truth: "TruthSettings") -> Facts:
    """Whether a feed can be read, and what its oldest lines say that counts for nothing."""
    polled = truth.build(configuration.context).poll({})
    lines = len(polled.statements) + len(polled.rejected)
    facts = {"lines tried": f"{lines:,}, {len(polled.rejected):,} of them cannot be used"}
    classifiers = configuration.settings.panels[truth.panel].classifiers
    unknown = sorted({name for one in polled.statements for name in one.calls} - classifiers.keys())
    if unknown:
        named = f"{count_text(len(unknown), 'name')} in `calls`, such as '{shortened(unknown[0], 40)}'"
        facts["unknown classifiers"] = f"{named}, that panel '{truth.panel}' has not: they do not count"
    return facts


def _checks(configuration: "Configuration") -> Facts:
    """The user's expectations; Great Expectations is imported only if there are any."""
    from stratawatch.wiring import check

    return check(configuration).describe(list(configuration.panels.values())) or {"expectations": "the program's own"}


def _inspect_source(
    report: CheckReport, configuration: "Configuration", name: str, spec: "PanelSpec", clock: "Clock"
) -> None:
    """Describe the source and report every column that cannot be read, at the key that names it."""
    from stratawatch.wiring import source

    try:
        port = source(configuration, name)
        description = port.describe(spec)
    except InputRefused as error:
        report.problems.append(_placed(configuration, ("panels", name, "source"), error))
        return
    except StratawatchError as error:
        report.problems.append(_placed(configuration, _named_by(configuration, name, error), error))
        return
    for one in description.problems:
        report.problems.append(_placed(configuration, ("panels", name, *one.column.key), one.error))
    newest = {} if description.problems else _inspect_windows(report, configuration, spec, clock)
    report.found[f"source of {name}"] = {**description.facts, **newest}


def _named_by(configuration: "Configuration", name: str, trouble: StratawatchError) -> Place:
    """The configuration key at fault: the server's address when it did not answer, else the key that names the data."""
    settings = configuration.settings.panels[name].source
    key = settings.server_key if isinstance(trouble, NoConnection) else settings.content_key
    return ("panels", name, "source", key)


def _inspect_windows(report: CheckReport, configuration: "Configuration", spec: "PanelSpec", clock: "Clock") -> Facts:
    """Look at the panel's windows as cycles on them would; the facts of the source have what was found."""
    from stratawatch.cli.check_windows import NEWEST, inspect_windows

    ports = _ports(configuration, clock)
    if ports is None:
        return {NEWEST: "not looked at, as another part cannot be used"}
    found = inspect_windows(ports, spec, ("checks", "folder"))
    placed = [configuration.placed(problem) for problem in found.problems]
    report.problems += [problem for problem in placed if problem not in report.problems]  # expectations of several
    report.notices += tuple(map(configuration.placed, found.notices))
    return found.facts


def _ports(configuration: "Configuration", clock: "Clock") -> "Ports | None":
    """What the installation is made of; None where a part of it cannot be used, which says itself what is wrong."""
    from stratawatch.adapters.store import open_store
    from stratawatch.wiring import wire

    try:
        store = open_store(configuration.store_url().get_secret_value())
        return replace(wire(configuration, store, only_reading=True).ports, clock=clock)
    except StratawatchError:
        return None


def _inspect_channels(report: CheckReport, configuration: "Configuration") -> None:
    """Build every channel, secrets included, and ask those that can be asked; nothing is sent."""
    missing = configuration.secret_problems()
    report.problems += missing
    for index, settings in enumerate(configuration.settings.alerts):
        if any(problem.place[:2] == ("alerts", index) for problem in missing):
            continue

        place: Place = ("alerts", index)
        try:
            report.found[f"alerts to {settings.name}"] = _channel(settings, configuration)
        except StratawatchError as trouble:
            keys = [trouble.key] if trouble.key in type(settings).model_fields else []
            report.problems.append(_placed(configuration, (*place, *keys), trouble))
    if not configuration.settings.alerts:
        report.found["alerts"] = {"channels": "none: nobody is told of a breach"}
    heartbeat = configuration.settings.heartbeat
    if heartbeat is not None and all(problem.place[:1] != ("heartbeat",) for problem in missing):
        _look(report, configuration, "heartbeat", ("heartbeat", "url"), lambda: _heartbeat(configuration))


def _channel(settings: "ChannelSettings", configuration: "Configuration") -> Facts:
    from stratawatch.cli.channel_looks import ask_channel

    answer = ask_channel(settings.build(configuration.context))
    used = {"used": "where every other channel failed to take a page"} if settings.fallback else {}
    return {"kind": settings.kind, **used, "state": answer or "can be built; `check` sends nothing"}


def _heartbeat(configuration: "Configuration") -> Facts:
    from stratawatch.wiring import heartbeat_address

    heartbeat_address(configuration)
    return {"state": "is asked after every good advance; `check` does not ask it"}
