"""From a panel's tables to the specification that the engine works with."""

from pathlib import Path

from stratawatch.config.panel_settings import ClassifierSettings, LimitSettings, PanelSettings
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Segment
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec, WindowRule


def panel_spec(name: str, panel: PanelSettings, folder: Path) -> PanelSpec:
    """The engine's view of a [panels.NAME] table."""
    columns = panel.columns
    return PanelSpec(
        name=name,
        question=panel.question,
        guideline=_guideline(panel, folder),
        seed=panel.seed,
        classifiers=tuple(_classifier(key, value) for key, value in panel.classifiers.items()),
        auxiliary=tuple(
            AuxiliarySpec(key, one.score, one.score_kind, one.called) for key, one in panel.auxiliary.items()
        ),
        columns=Columns(
            item=columns.item,
            time=columns.time,
            payload=tuple(columns.payload),
            segments=tuple(columns.segments),
            cluster=columns.cluster,
            ingested=columns.ingested,
            classifier=columns.classifier,
        ),
        windows=WindowRule(panel.schedule.start, panel.schedule.every, panel.schedule.lateness),
        goals=goals_of(panel),
        limits=limits_of(panel),
        budget=panel.budget,
        stop_rule=panel.stop_rule,
        design=panel.design,
        options=dict(panel.options),
        variance=panel.variance,
        deadline=panel.deadline,
        confidence=panel.confidence,
        votes=panel.votes,
        batch_size=panel.batch_size,
        false_pages_per_year=panel.false_pages_per_year,
        max_bad_row_share=panel.max_bad_row_share,
        label_validity=panel.label_validity,
        blind_margin_factor=panel.blind_margin_factor,
        duplicates=panel.duplicates,
        drift=DriftRule(**panel.drift.model_dump()),
        source=panel.source.description,
    )


def goals_of(panel: PanelSettings) -> tuple[Goal, ...]:
    """The panel's goals, as the core reads them."""
    return tuple(Goal(goal.metric, goal.margin, tuple(goal.classifiers)) for goal in panel.goals)


def limits_of(panel: PanelSettings) -> tuple[Limit, ...]:
    """The panel's limits, as the core reads them."""
    return tuple(_limit(limit) for limit in panel.limits)


def _classifier(name: str, classifier: ClassifierSettings) -> ClassifierSpec:
    one = classifier
    return ClassifierSpec(name, one.score, one.score_kind, one.call, one.cut_off, one.called, one.call_yes)


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
