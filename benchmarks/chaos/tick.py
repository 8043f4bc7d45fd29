"""What one child process does at one moment: mend by hand, open what is due, advance until nothing moves."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.chaos.world import ERASED, GOLD, LABELLED, OUTAGES, PANEL, TROUBLES, Tick
from stratawatch import report
from stratawatch.adapters.erasure_list import ErasureList, erasure_list
from stratawatch.atomic_files import create_file
from stratawatch.cli.changed_questions import question_notice
from stratawatch.core.baselines.labelled import labelled_baselines
from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.alert_actions import resend_failed, resend_notification
from stratawatch.engine.alarms.silences import end_silence, silence_alerts
from stratawatch.engine.baselines.measure_baseline import BaselineRequest, keep_resampled_baselines, measure_baseline
from stratawatch.engine.cycle import freeze_cycle
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.backfill import backfill
from stratawatch.engine.cycle.clock_check import trust_clock
from stratawatch.engine.cycle.left_panels import retire_panel
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.operator_actions import cancel_cycle, reopen_cycle, rerun_cycle, resend_batches
from stratawatch.engine.evidence.replay_evidence import replay_evidence
from stratawatch.engine.labels import dispatch_batch
from stratawatch.engine.labels.erase_item import erase_again, erase_item
from stratawatch.engine.labels.gold_items import keep_gold
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.engine.model.alarm_records import Silence
from stratawatch.engine.model.cycle_facts import CandidateItem, CheckReport, Cycle
from stratawatch.engine.model.gold import GoldItem
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import FixedClock, SystemClock
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from stratawatch.wiring import Installation

Variant = Callable[[Ports, Path], Ports]
MOST_ADVANCES: Final = 6
ADVANCES_IN_TROUBLE: Final = 16
SENDS: Final = 14
"""Attempts after which a batch is given up: reached in trouble, and after a person was warned."""
BY_HAND: Final = 3


class PassingCheck:
    """Great Expectations takes ten seconds to import; the real flows use it, these many processes do not."""

    def profile(self, panel: PanelSpec, window: Window, profile: InputProfile) -> CheckReport:
        del panel, window, profile
        return CheckReport(failures=(), refusal="")

    def candidates(self, panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> CheckReport:
        del panel, window, items
        return CheckReport(failures=(), refusal="")


def run_tick(config: Path, tick: Tick, variants: tuple[Variant, ...]) -> None:
    """One moment without Prefect."""
    from stratawatch.wiring import build

    installation = build(config, tick.at)
    ports = replace(installation.ports, check=PassingCheck())
    for variant in variants:
        ports = variant(ports, config.parent)
    by_hand(ports, tick)
    alerts_by_hand(ports, tick)
    windows_by_hand(ports, installation.panels[PANEL], tick)
    baselines_by_hand(installation, ports, tick)
    if tick.step == "gold":
        keep_gold(ports, installation.panels[PANEL], gold_items(), (), "their truth is known")
    if tick.step == "erase":
        erase_by_hand(installation, ports)
    open_cycles(ports, installation.panels)
    if tick.step in TROUBLES:
        # Nobody can wait here for the day that a batch is really tried for.
        dispatch_batch.MOST_SENDS = SENDS  # type: ignore[misc]
        freeze_cycle.MOST_READS = SENDS  # type: ignore[misc]
        for _ in range(ADVANCES_IN_TROUBLE):
            advance(ports)
        return
    for _ in range(MOST_ADVANCES):
        before = _moved(ports)
        done = advance(ports)
        if [trouble for trouble in done.troubles if tick.step not in OUTAGES or not trouble.startswith("notify:")]:
            raise RuntimeError(" | ".join(done.troubles))
        if done.skipped:
            raise RuntimeError(f"leases of dead processes hold up {', '.join(map(str, done.skipped))}")
        if _moved(ports) == before:
            return
    raise RuntimeError(f"still moving after {MOST_ADVANCES} advances")


def meet_fault(
    config: Path, tick: Tick, variants: tuple[Variant, ...], machine_time: datetime | None
) -> frozenset[str]:
    """One moment while something is wrong with the world; returns what the product said about it.

    That is errors and troubles, and what the store keeps for people to see since.
    """
    from stratawatch.wiring import build

    if machine_time is not None:
        SystemClock.now = lambda _self: machine_time  # type: ignore[method-assign, assignment]
    said: list[str] = []
    before: frozenset[str] = frozenset()
    try:
        installation = build(config, None if machine_time is not None else tick.at)
        ports = replace(installation.ports, check=PassingCheck())
        for variant in variants:
            ports = variant(ports, config.parent)
        before = _kept_sentences(ports)
        for work in (
            lambda: said.extend(_notices(installation, ports, tick)),
            lambda: open_cycles(ports, installation.panels),
            lambda: said.extend(advance(ports).troubles),
            lambda: report.write(ports.store, installation.panels, installation.report_folder, ports.clock.now()),
        ):
            try:
                work()
            except StratawatchError as trouble:
                said.append(str(trouble))
        return frozenset(said) | (_kept_sentences(ports) - before)
    except StratawatchError as trouble:
        return frozenset([*said, str(trouble)])


def _kept_sentences(ports: Ports) -> frozenset[str]:
    """What the store keeps for people: reasons, warnings, and how often which send failed."""
    with ports.store.begin() as tx:
        rows = [f"{row.reason} {row.key} {row.content}" for row in tx.cycles.quarantined(newest=10_000)]
        notices = [f"{n.key} {n.attempts} {n.subject} {n.body} {n.last_error}" for n in tx.outbox.all()]
        reasons = [f"{cycle.id} {cycle.reason}" for cycle in tx.cycles.find(panel=PANEL)]
    return frozenset([*rows, *notices, *reasons])


def _notices(installation: "Installation", ports: Ports, tick: Tick) -> list[str]:
    """What `check` says about a changed question."""
    with ports.store.begin() as tx:
        notice = question_notice(tx, installation.panels[PANEL], tick.at)
    return [] if notice is None else [notice.what]


def by_hand(ports: Ports, tick: Tick) -> None:
    """What a person does at this step. A person whose command was killed looks, and repeats it where it is needed."""
    with ports.store.begin() as tx:
        found = [cycle for cycle in tx.cycles.find(panel=PANEL) if cycle.period == tick.period]
    for cycle in found:
        if tick.step == "resend":
            resend_batches(ports, cycle.id, "the queue is back")
        if tick.step == "reopen" and cycle.state == CycleState.REFUSED:
            reopen_cycle(ports, cycle.id, "the files are back")
        if tick.step == "cancel" and cycle.state != CycleState.CANCELLED:
            cancel_cycle(ports, cycle.id, "nobody has time")
        if tick.step == "import":
            _import(ports, cycle, tick)
    if tick.step == "again":
        with ports.store.begin() as tx:
            first = tx.outbox.all()[0]
        resend_notification(ports, first.id)
        resend_failed(ports)
        replay_evidence(ports, PANEL, 2)
    if tick.step == "adopt":
        adopt_queue(ports)
    if tick.step == "retire":
        retire_panel(ports, PANEL, (), "cancel", "nobody needs it any more")
    if tick.step == "trust":
        trust_clock(replace(ports, clock=FixedClock(tick.at - timedelta(days=5))))


def alerts_by_hand(ports: Ports, tick: Tick) -> None:
    """Somebody looks after what is open, and has quiet for a while."""
    with ports.store.begin() as tx:
        opened, silences = tx.alarms.incidents(panel=PANEL, only_open=True), tx.silences.active(ports.clock.now())
    if tick.step == "acknowledge":
        for incident in opened:
            acknowledge_incident(ports, incident.id, "it is looked into")
    if tick.step == "silence" and not silences:
        silence_alerts(ports, Silence(PANEL, tick.at + timedelta(days=1), "the office moves", ports.by, tick.at))
    if tick.step == "unsilence":
        for silence in silences:
            end_silence(ports, silence.id, "it has moved")


def windows_by_hand(ports: Ports, panel: PanelSpec, tick: Tick) -> None:
    """Windows that a person opens: one that is over, and once again one whose predictions were corrected."""
    if tick.step == "backfill":
        backfill(ports, panel, tick.period, tick.period)
    if tick.step == "rerun":
        with ports.store.begin() as tx:
            judged = [
                cycle.id
                for cycle in tx.cycles.find(panel=PANEL, states=[CycleState.JUDGED])
                if cycle.period == tick.period and not tx.cycles.earlier_runs(cycle)
            ]
        for cycle_id in judged:
            rerun_cycle(ports, cycle_id, "the scores were corrected", panel)


def baselines_by_hand(installation: "Installation", ports: Ports, tick: Tick) -> None:
    """Baselines that a person measures: of predictions with labels, and of what a notebook found."""
    from stratawatch.wiring import labelled_predictions

    configuration, panel = installation.configuration, installation.panels[PANEL]
    if tick.step == "measure":
        labels = labelled_predictions(configuration, PANEL, str(configuration.folder / LABELLED))
        measure_baseline(ports, panel, BaselineRequest(), labels)
    if tick.step == "keep":
        found = labelled_baselines(np.arange(100) < 50, np.arange(100) < 40)
        keep_resampled_baselines(ports, panel, "lr", found, source="a notebook")


def gold_items() -> list[GoldItem]:
    """One in three is spam, and who reads the text knows it."""
    spam = [GoldItem(f"gold-{i}", "yes", {"text": f"buy gold-{i}"}) for i in range(0, GOLD, 3)]
    return [*spam, *(GoldItem(f"gold-{i}", "no", {"text": f"hello gold-{i}"}) for i in range(GOLD) if i % 3)]


def erase_by_hand(installation: "Installation", ports: Ports) -> None:
    """A person erases an item of the first window, and notes its id: the store forgets it.

    Nobody is asked about it any more: what was sent as a message cannot be taken back from who has it.
    """
    noted = installation.configuration.folder / ERASED
    if not noted.exists():
        with ports.store.begin() as tx:
            first = min(tx.cycles.find(panel=PANEL), key=lambda one: one.period)
            item = min(draw.item for draw in tx.rounds.draws(first.id) if draw.item.startswith("w"))
        create_file(noted, item.encode())
    listed = _erasure_list(installation)
    known = {(one.panel, one.digest) for one in listed.read()}
    if away := erase_item(ports, [PANEL], noted.read_text(), known, listed.add, "asked for").away:
        raise RuntimeError(away)


def erase_again_by_hand(installation: "Installation") -> None:
    """What the runbook of a restore says about erased items."""
    erase_again(installation.ports, _erasure_list(installation).read(), "after a restore")


def _erasure_list(installation: "Installation") -> ErasureList:
    configuration = installation.configuration
    return erasure_list(configuration.store_url().get_secret_value(), configuration.folder)


def _import(ports: Ports, cycle: Cycle, tick: Tick) -> None:
    with ports.store.begin() as tx:
        items = sorted(draw.item for draw in tx.rounds.draws(cycle.id))[:BY_HAND]
    import_labels(ports, PANEL, [HandLabel(item, "no", f"desk-{tick.period}") for item in items])


def _moved(ports: Ports) -> tuple[int, ...]:
    with ports.store.begin() as tx:
        return (
            len(tx.cycles.transitions()),
            sum(revision.number for _, revision in tx.estimates.history(PANEL)),
            sum(notification.state == "pending" for notification in tx.outbox.all()),
        )
