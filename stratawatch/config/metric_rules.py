"""Rules about goals and limits: known classifiers, the right direction, nothing twice, something to spend on."""

from collections.abc import Iterator, Mapping

from stratawatch.config.problems import Problem, did_you_mean
from stratawatch.config.tables import Table
from stratawatch.core.designs import DESIGNS, design_named
from stratawatch.core.estimation.metrics import METRICS
from stratawatch.core.methods.baselines.answers import SHARES
from stratawatch.errors import StratawatchError


def known_classifiers(panel: Table) -> Iterator[Problem]:
    """`of` names classifiers of the panel."""
    known = panel.named("classifiers")
    for key in ("goals", "limits"):
        for entry in panel.listed(key):
            seen = set()
            if entry.empty("of"):
                hint = f"without `of` the {key[:-1]} is for all classifiers"
                yield entry.problem("of", f"the {key[:-1]} is for no classifier", hint=hint)
            for index, name in entry.texts("of"):
                if name not in known:
                    hint = did_you_mean(name, known)
                    yield Problem(entry.at("of", index), f"there is no classifier '{name}'", hint=hint)
                elif name in seen:
                    yield Problem(entry.at("of", index), f"classifier '{name}' is named twice")
                seen.add(name)


def right_direction(panel: Table) -> Iterator[Problem]:
    """A floor where large is good, a ceiling where small is; one bound, and one that can bind."""
    for limit in panel.listed("limits"):
        metric = limit.text("metric")
        known = METRICS.get(metric or "")
        wanted, other = ("ceiling", "floor") if known and known.small_is_good else ("floor", "ceiling")
        if other in limit:
            good = "small" if wanted == "ceiling" else "large"
            yield limit.problem(
                other,
                f"a {other} is no limit of {metric}",
                expected=f"a {wanted}",
                hint=f"{good} values of it are good",
            )
        elif wanted not in limit and "max_drop" not in limit:
            yield limit.problem(
                None, "the limit has no bound", expected=f"{wanted} = a share between 0 and 1, or max_drop"
            )
        for key in (wanted, "max_drop"):
            bound = limit.number(key)
            if bound is not None and bound in (0, 1):
                yield limit.problem(key, f"a {key} of {bound:g} says nothing", expected="more than 0 and less than 1")


def drops_of_shares(panel: Table) -> Iterator[Problem]:
    """Baselines are of metrics that are shares of items."""
    for limit in panel.listed("limits"):
        metric = limit.text("metric")
        if "max_drop" in limit and metric in METRICS and metric not in SHARES:
            yield limit.problem(
                "max_drop", f"there are no baselines of {metric}", expected=f"max_drop of {', '.join(SHARES)}"
            )


def goals_to_spend_on(panel: Table) -> Iterator[Problem]:
    """Labels are asked for until the goals are met, so there must be one."""
    if panel.text("spend") == "goals" and not any(panel.listed("goals")):
        name = panel.place[-1]
        yield panel.problem(
            "spend",
            'spend = "goals" needs to know when to stop',
            expected="at least one goal",
            got="none",
            hint=f'add [[panels.{name}.goals]], or spend = "budget"',
        )


def goals_for_the_design(panel: Table) -> Iterator[Problem]:
    """Only designs that know how many labels goals need can stop at them."""
    design = panel.text("design") or ""
    if panel.text("spend") == "goals" and design in DESIGNS and not DESIGNS[design].plans_for_goals:
        yield panel.problem(
            "design",
            f'design = "{design}" does not know how many labels goals need',
            expected='spend = "budget"',
            got='spend = "goals"',
            hint='only design = "joint" goes on until goals hold',
        )


def options_of_the_design(panel: Table) -> Iterator[Problem]:
    """Options that the design has, with values that it can use, for classifiers of the panel."""
    design, options = panel.text("design") or "joint", panel.table("options")
    if design not in DESIGNS:
        return
    try:
        kind = design_named(design, options.data if isinstance(options.data, Mapping) else {})
    except StratawatchError as error:
        yield options.problem(None, error.what, expected=error.expected, got=error.got, hint=error.hint)
        return
    known = panel.named("classifiers")
    for name in kind.names:
        if name not in known:
            yield options.problem(None, f"there is no classifier '{name}'", hint=did_you_mean(name, known))


def known_segment(panel: Table) -> Iterator[Problem]:
    """A limit inside a segment names a column that is reported, and a value."""
    columns = [column for _, column in panel.table("columns").texts("segments")]
    for limit in panel.listed("limits"):
        segment = limit.text("segment")
        if segment is None:
            continue
        column, equals, value = segment.partition("=")
        if not equals or not value:
            yield limit.problem("segment", "a segment is written column=value", got=repr(segment))
        elif column not in columns:
            hint = did_you_mean(column, columns) or "list the column in [columns] segments"
            yield limit.problem("segment", f"'{column}' is not among the columns in `segments`", hint=hint)


def nothing_twice(panel: Table) -> Iterator[Problem]:
    """One goal for a classifier's metric, one limit for a stream."""
    everyone = list(panel.named("classifiers"))
    for key in ("goals", "limits"):
        seen: dict[tuple[str | None, ...], int] = {}
        for number, entry in enumerate(panel.listed(key), start=1):
            names = dict.fromkeys(name for _, name in entry.texts("of")) or everyone
            for name in names:
                stream = (entry.text("metric"), name, entry.text("segment"))
                if stream in seen and stream[0] is not None:
                    what = f"{stream[0]} of '{name}' has a {key[:-1]} already, number {seen[stream]}"
                    yield entry.problem(None, what, hint="remove one, or narrow `of`")
                seen.setdefault(stream, number)
