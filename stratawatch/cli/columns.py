"""A panel that gives up one missing column after the other, so that `check` finds all of them."""

from dataclasses import replace

from stratawatch.config.problems import Place
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec


class Trial:
    """A panel's specification without the columns that were found to be missing."""

    def __init__(self, spec: PanelSpec) -> None:
        self.spec = spec
        self._places = _places(spec)
        self._kept = {spec.columns.item, spec.columns.time}
        self._dropped: set[str] = set()

    @property
    def described(self) -> bool:
        """Whether there is an item or a time left: without either nothing more is found out."""
        return bool(self._kept - self._dropped)

    def drop(self, sentence: str) -> Place | None:
        """Give up the column that a source's sentence quotes first; its place, or None when there is none to drop."""
        places = {name: place for name, place in self._places.items() if f"'{name}'" in sentence}
        if not places:
            return None
        name = min(places, key=lambda name: sentence.index(f"'{name}'"))
        if name in self._dropped:
            return None
        self._dropped.add(name)
        self.spec = _without(self.spec, name)
        return places[name]


def _places(spec: PanelSpec) -> dict[str, Place]:
    """Where the configuration names each column; the first place counts."""
    home, columns = ("panels", spec.name), spec.columns
    places: list[tuple[str | None, Place]] = [
        (columns.item, (*home, "columns", "item")),
        (columns.time, (*home, "columns", "time")),
        (columns.ingested, (*home, "columns", "ingested")),
        (columns.cluster, (*home, "columns", "cluster")),
        (columns.classifier, (*home, "columns", "classifier")),
    ]
    for key, names in (("payload", columns.payload), ("segments", columns.segments)):
        places += [(name, (*home, "columns", key)) for name in names]
    for one in spec.classifiers:
        places += [(one.score, (*home, "classifiers", one.name, "score"))]
        places += [(one.call, (*home, "classifiers", one.name, "call"))]
    found: dict[str, Place] = {}
    for name, place in places:
        if name is not None:
            found.setdefault(name, place)
    return found


def _without(spec: PanelSpec, name: str) -> PanelSpec:
    columns = spec.columns
    return replace(
        spec,
        columns=replace(
            columns,
            # An item and a time there must be; each stands in for the other while the rest is looked at.
            item=columns.time if columns.item == name else columns.item,
            time=columns.item if columns.time == name else columns.time,
            payload=tuple(column for column in columns.payload if column != name),
            segments=tuple(column for column in columns.segments if column != name),
            cluster=None if columns.cluster == name else columns.cluster,
            classifier=None if columns.classifier == name else columns.classifier,
            ingested=None if columns.ingested == name else columns.ingested,
        ),
        classifiers=tuple(_classifier_without(one, name) for one in spec.classifiers),
    )


def _classifier_without(one: ClassifierSpec, name: str) -> ClassifierSpec:
    if one.score == name:
        one = replace(one, score=None, cut_off=None)
    return replace(one, call=None) if one.call == name else one
