"""From a panel's tables to the specification that the engine works with."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

from stratawatch.config.panel_settings import LimitSettings, PanelSettings
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Segment
from stratawatch.core.second_votes import NO_SECOND_VOTES
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.panel_spec import AuxiliarySpec, CallCosts, ClassifierSpec, Columns, PanelSpec, WindowRule
from stratawatch.engine.model.pauses import Pauses


def panel_spec(name: str, panel: PanelSettings, folder: Path) -> PanelSpec:
    """The engine's view of a [panels.NAME] table: most fields as they are, the others in the engine's own records."""
    panel = without_paused(panel)
    columns, names = panel.columns, {field.name for field in fields(PanelSpec)}
    same = {key: getattr(panel, key) for key in PanelSettings.model_fields if key in names}
    others = {
        "name": name,
        "guideline": _guideline(panel, folder),
        "classifiers": tuple(
            ClassifierSpec(key, **one.model_dump(exclude={"paused", "shadow"}))
            for key, one in panel.classifiers.items()
        ),
        "auxiliary": tuple(AuxiliarySpec(key, **one.model_dump()) for key, one in panel.auxiliary.items()),
        "columns": replace(
            Columns(**columns.model_dump()), payload=tuple(columns.payload), segments=tuple(columns.segments)
        ),
        "windows": WindowRule(panel.schedule.start, panel.schedule.every, panel.schedule.lateness),
        "goals": goals_of(panel),
        "limits": limits_of(panel),
        "costs": None if panel.costs is None else CallCosts(**panel.costs.model_dump()),
        "drift": DriftRule(**panel.drift.model_dump()),
        "source": panel.source.description,
        "second_votes": None if panel.second_votes == NO_SECOND_VOTES else panel.second_votes,
    }
    return PanelSpec(**{**same, **others})


def without_paused(panel: PanelSettings) -> PanelSettings:
    """The panel without its paused classifiers, and without the goals and limits that are for them alone."""
    left = {name: one for name, one in panel.classifiers.items() if not one.paused}
    if len(left) == len(panel.classifiers):
        return panel
    goals, limits = (
        [
            one.model_copy(update={"classifiers": [name for name in one.classifiers if name in left]})
            for one in entries
            if not one.classifiers or set(one.classifiers) & set(left)
        ]
        for entries in (panel.goals, panel.limits)
    )
    return panel.model_copy(update={"classifiers": left, "goals": goals, "limits": limits})


def pauses_of(panels: Mapping[str, PanelSettings]) -> Pauses:
    """What the configuration pauses, and its shadows."""
    return Pauses(
        frozenset(name for name, panel in panels.items() if panel.paused),
        frozenset(
            (name, key) for name, panel in panels.items() for key, one in panel.classifiers.items() if one.paused
        ),
        frozenset(
            (name, key) for name, panel in panels.items() for key, one in panel.classifiers.items() if one.shadow
        ),
    )


def goals_of(panel: PanelSettings) -> tuple[Goal, ...]:
    """The panel's goals, as the core reads them."""
    return tuple(Goal(goal.metric, goal.margin, tuple(goal.classifiers)) for goal in panel.goals)


def limits_of(panel: PanelSettings) -> tuple[Limit, ...]:
    """The panel's limits, as the core reads them."""
    return tuple(_limit(limit) for limit in panel.limits)


def _limit(limit: LimitSettings) -> Limit:
    segment = None
    if limit.segment is not None:
        column, _, value = limit.segment.partition("=")
        segment = Segment(column, value)
    return Limit(limit.metric, limit.floor, limit.ceiling, tuple(limit.classifiers), segment, limit.max_drop)


def _guideline(panel: PanelSettings, folder: Path) -> str:
    if panel.guideline_file is None:
        return panel.guideline or ""
    return (folder / panel.guideline_file).read_text(encoding="utf-8").strip()
