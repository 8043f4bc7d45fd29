"""Says what changed settings of a panel cost, while they can still be taken back.

Questions, limits, schedules and classifiers that left are told by modules of their own.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from stratawatch.config.problems import Place, Problem
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec
    from stratawatch.engine.ports.transaction import Transaction

NEXT = "with the next window that is opened"


def settings_notices(tx: "Transaction", spec: "PanelSpec", now: datetime) -> Iterator[Problem]:
    """What becomes of plans, evidence, baselines and trends, for each setting that its newest cycle had otherwise."""
    for newest in tx.cycles.find(panel=spec.name, newest=1):
        before = tx.panels.get(newest.panel_version)
        place = ("panels", spec.name)
        yield from _classifiers(tx, before, spec, now)
        for key, what in _others(before, spec):
            yield Problem((*place, *key), what)


def _classifiers(tx: "Transaction", before: "PanelSpec", spec: "PanelSpec", now: datetime) -> Iterator[Problem]:
    """Classifiers that read or decide otherwise, and plans, which begin again where the list is another one."""
    old = {one.name: one for one in before.classifiers}
    for one in spec.classifiers:
        if one.name in old and one != old[one.name]:
            yield _changed_classifier(tx, spec, old[one.name], one, now)
    same_names = [one.name for one in before.classifiers] == [one.name for one in spec.classifiers]
    if not same_names or before.auxiliary != spec.auxiliary:
        lists = ", ".join([*(one.name for one in before.classifiers), *(one.name for one in before.auxiliary)])
        what = (
            f"the classifiers and auxiliary scores of panel '{spec.name}' are no longer {lists}: plans begin again "
            "from scores alone until there are labels enough, and pages compare no window with those before"
        )
        yield Problem(("panels", spec.name, "classifiers"), what)


def _changed_classifier(
    tx: "Transaction", spec: "PanelSpec", old: "ClassifierSpec", new: "ClassifierSpec", now: datetime
) -> Problem:
    from stratawatch.engine.alarms.alarm_streams import watched_streams
    from stratawatch.engine.model.stored_baseline import call_rule

    then, rule, place = call_rule(old), call_rule(new), ("panels", spec.name, "classifiers", new.name)
    plans = "plans begin again from scores alone until there are labels enough"
    if then == rule:
        return Problem(place, f"classifier '{new.name}' has another score, and says yes as before: {plans}")
    streams = sum(key.classifier == new.name for key in watched_streams(spec))
    baselines = {
        one.key for one in tx.baselines.in_force(spec.name, now) if one.key.classifier == new.name and one.call != rule
    }
    costs = ["its trend mixes two classifiers", plans]
    if streams:
        costs.append(f"the evidence on {count_text(streams, 'limit')} begins at 0")
    if baselines:
        costs.append(f"{count_text(len(baselines), 'baseline')} of it are in force no longer")
    what = f"classifier '{new.name}' says yes by {rule}, no longer by {then}: {', '.join(costs)}"
    return Problem(place, what, hint="a name of its own keeps the two apart")


def _others(before: "PanelSpec", spec: "PanelSpec") -> Iterator[tuple[Place, str]]:
    """Other settings: the key of each, and what it costs."""
    if (before.design, before.options) != (spec.design, spec.options):
        costs = "labels are drawn and read another way, so that trends mix two ways; labels are used again"
        yield ("design",), f"the design is {_design(spec)}, no longer {_design(before)}: {NEXT} {costs}"
    if before.variance != spec.variance:
        costs = "trends mix two kinds of interval"
        yield ("variance",), f"the variance is '{spec.variance}', no longer '{before.variance}': {costs}"
    if before.confidence != spec.confidence:
        than = "wider" if spec.confidence > before.confidence else "narrower"
        costs = f"intervals are {than} {NEXT}, so that trends mix both; how often a page is false stays"
        yield ("confidence",), f"the confidence is {spec.confidence:g}, no longer {before.confidence:g}: {costs}"
    if before.seed != spec.seed:
        costs = "other items are drawn, and a label of before is used again only where its item is drawn by chance"
        yield ("seed",), f"the seed of panel '{spec.name}' changed: {NEXT} {costs}"
    if before.random_numbers != spec.random_numbers:
        costs = f"the evidence on all limits begins at 0 {NEXT}"
        yield (
            ("random_numbers",),
            f"random numbers are {spec.random_numbers}, no longer {before.random_numbers}: {costs}",
        )
    if before.alarms != spec.alarms:
        rests = "on each window alone" if spec.alarms == "window" else "on evidence that adds up over windows"
        yield ("alarms",), f"alarms are by {spec.alarms}, no longer by {before.alarms}: pages rest {rests} {NEXT}"
    if before.votes < spec.votes:
        costs = "items with fewer answers have no verdict, and are asked about again where they are drawn again"
        yield ("votes",), f"an item takes {spec.votes} votes, no longer {before.votes}: {costs}"
    if before.columns.item != spec.columns.item:
        costs = "labels of before are used again only where the ids are the same"
        yield (
            ("columns", "item"),
            f"items are told apart by '{spec.columns.item}', no longer by '{before.columns.item}': {costs}",
        )


def _design(spec: "PanelSpec") -> str:
    options = ", ".join(f"{name} = {value}" for name, value in spec.options.items())
    return f"'{spec.design}'" + (f" ({options})" if options else "")
