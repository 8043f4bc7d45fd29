"""Keys that have a new name: the old one is taken for one version, and `check` says the new one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from stratawatch.config.problems import Place, Problem

_PANEL: Final[Place] = ("panels", "*")
NEW_NAMES: Final[Mapping[Place, str]] = {
    (*_PANEL, "blind_at"): "blind_margin_factor",
    (*_PANEL, "pages_a_year"): "false_pages_per_year",
    (*_PANEL, "label_life"): "label_validity",
    (*_PANEL, "quarantine_share"): "max_bad_row_share",
    (*_PANEL, "spend"): "stop_rule",
    (*_PANEL, "options", "doubt"): "pseudo_labels",
    (*_PANEL, "classifiers", "*", "positive"): "call",
    (*_PANEL, "goals", "*", "of"): "classifiers",
    (*_PANEL, "limits", "*", "of"): "classifiers",
}
"""Places of old keys, with any name or number where a * stands, and what each key is called now."""


@dataclass
class KeyRenamer:
    """Gives tables of the file, or of the environment, their new names, and collects what people should hear of it."""

    notices: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def renamed(self, value: Any, place: Place = ()) -> Any:
        """The value under new names."""
        if isinstance(value, list):
            return [self.renamed(inner, (*place, index)) for index, inner in enumerate(value)]
        if not isinstance(value, dict):
            return value
        result = {}
        for key, inner in value.items():
            old = (*place, key)
            name = _new_name(old)
            if name != key:
                self.notices.append(
                    Problem(old, f"'{key}' is called '{name}' now", hint="rename it: this version still takes both")
                )
            if name != key and name in value:
                self.problems.append(
                    Problem(old, f"'{key}' is the old name of '{name}', and both are given", hint=f"remove '{key}'")
                )
            else:
                result[name] = self.renamed(inner, old)
        return result


def renamed_place(place: Place) -> Place:
    """Where a key stands under the new names.

    >>> renamed_place(("panels", "spam", "limits", 0, "of", 1))
    ('panels', 'spam', 'limits', 0, 'classifiers', 1)
    """
    return tuple(_new_name(place[: depth + 1]) for depth in range(len(place)))


def _new_name(place: Place) -> str | int:
    for old, name in NEW_NAMES.items():
        if len(old) == len(place) and all(part in ("*", here) for part, here in zip(old, place, strict=True)):
            return name
    return place[-1]
