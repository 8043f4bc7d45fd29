"""What is paused for now, panels and single classifiers, and which classifiers are shadows."""

from dataclasses import dataclass
from typing import Final

from stratawatch.engine.model.alarm_records import StreamKey

SHADOW: Final = "shadow"
"""What a classifier is called that is judged with the others and that nobody is paged about."""


@dataclass(frozen=True)
class Pauses:
    """The names of paused panels, and (panel, classifier) of paused classifiers and of shadows."""

    panels: frozenset[str] = frozenset()
    classifiers: frozenset[tuple[str, str]] = frozenset()
    shadows: frozenset[tuple[str, str]] = frozenset()

    def cover(self, key: StreamKey) -> bool:
        """Whether a stream is neither judged nor paged."""
        return key.panel in self.panels or (key.panel, key.classifier) in self.classifiers

    def sentence(self, panel: str) -> str:
        """What is paused of a panel, in a sentence; empty where nothing is."""
        if panel in self.panels:
            return "the panel is paused: no window is read or judged, and nobody is paged"
        names = sorted(name for owner, name in self.classifiers if owner == panel)
        if not names:
            return ""
        return f"paused: {', '.join(names)}; not drawn for in new windows, not judged, and nobody is paged"

    def shadows_of(self, panel: str) -> tuple[str, ...]:
        """The shadows of a panel, by name: judged with the others, and nobody is paged about them."""
        return tuple(sorted(name for owner, name in self.shadows - self.classifiers if owner == panel))
