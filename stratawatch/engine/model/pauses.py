"""What is paused for now: panels, and single classifiers of panels."""

from dataclasses import dataclass

from stratawatch.engine.model.alarm_records import StreamKey


@dataclass(frozen=True)
class Pauses:
    """The names of paused panels, and (panel, classifier) of paused classifiers."""

    panels: frozenset[str] = frozenset()
    classifiers: frozenset[tuple[str, str]] = frozenset()

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
