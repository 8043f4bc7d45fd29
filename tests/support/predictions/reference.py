"""What a source must answer, in plain Python over all rows in memory: the definition the SQL is held against."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stratawatch.core.population import Atom
from stratawatch.core.random_numbers import digest
from stratawatch.core.score_bins import bin_of
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, PanelSpec, Window
from tests.support.draw_by_hand import score_to_probability

Row = Mapping[str, Any]
YES, NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


@dataclass(frozen=True)
class Reading:
    """One sound row as the design sees it."""

    item: str
    pattern: str
    bin: int
    row: Row


def _score(one: ClassifierSpec, row: Row) -> float | None:
    """The valid score, None for null and NaN; ValueError for anything else."""
    given = None if one.score is None else row[one.score]
    if given is None:
        return None
    value = float(given)
    if math.isnan(value):
        return None
    inside = 0 <= value <= 1 if one.score_kind == "probability" else math.isfinite(value)
    if not inside:
        raise ValueError(value)
    return value


def _help(one: AuxiliarySpec, row: Row) -> float | None:
    """The linked score of a helper, None for whatever cannot be read."""
    try:
        score = _score(ClassifierSpec(one.name, one.score, one.score_kind), row)
    except ValueError:
        return None
    return None if score is None else score_to_probability(score, one.score_kind)


def _letter(one: ClassifierSpec, row: Row) -> str:
    if one.call is None:
        score = _score(one, row)
        return "-" if score is None else "1" if score >= one.cut_off else "0"
    given = row[one.call]
    if given is None or (isinstance(given, float) and math.isnan(given)):
        return "-"
    if one.call_yes is not None:
        return "1" if given == one.call_yes else "0"
    if isinstance(given, str):
        word = given.strip(" ").lower()
        return {**dict.fromkeys(YES, "1"), **dict.fromkeys(NO, "0")}[word]
    return {1: "1", 0: "0"}[given]


def read_row(panel: PanelSpec, row: Row) -> Reading | None:
    """The reading of a row, or None where the row is bad."""
    item = row[panel.columns.item]
    if item is None or row[panel.columns.time] is None:
        return None
    try:
        pattern = "".join(_letter(one, row) for one in panel.classifiers)
        scores = [(one, _score(one, row)) for one in panel.classifiers]
    except (ValueError, KeyError):
        return None
    helped = [_help(one, row) for one in panel.auxiliary]
    pattern += "".join("-" if score is None else "01"[score >= 0.5] for score in helped)
    linked = [score_to_probability(score, one.score_kind) for one, score in scores if score is not None]
    if not linked:
        linked = [score for score in helped if score is not None]
    total = 0.0
    for one in linked:
        total += one
    return Reading(str(item), pattern, bin_of(total / len(linked)) if linked else -1, row)


def own_bins(panel: PanelSpec, row: Row) -> dict[str, int]:
    """The own score bins of a sound row: four bins of the ladder in one."""
    scores = {one: _score(one, row) for one in panel.classifiers}
    return {
        one.name: bin_of(score_to_probability(score, one.score_kind)) // 4
        for one, score in scores.items()
        if score is not None
    }


def in_window(panel: PanelSpec, window: Window, row: Row) -> bool:
    at = row[panel.columns.time]
    return at is None or window.start <= _utc(at, window) < window.end


def _utc(at: datetime, window: Window) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=window.start.tzinfo)


def readings(panel: PanelSpec, window: Window, rows: Sequence[Row]) -> tuple[list[Reading], int]:
    """The sound rows of the window, and how many were bad."""
    inside = [row for row in rows if in_window(panel, window, row)]
    sound = [one for one in (read_row(panel, row) for row in inside) if one is not None]
    return sound, len(inside) - len(sound)


def census(sound: Sequence[Reading]) -> dict[tuple[str, int], int]:
    return dict(sorted(Counter((one.pattern, one.bin) for one in sound).items()))


def draw(panel: PanelSpec, sound: Sequence[Reading], atoms: Sequence[Atom], quotas: Sequence[int]) -> list[list[str]]:
    """Per stratum the ids with the smallest digests, in the digests' order."""
    inside: list[list[str]] = [[] for _ in quotas]
    for atom in atoms:
        inside[atom.stratum] += [
            one.item for one in sound if one.pattern == atom.pattern and atom.first_bin <= one.bin <= atom.last_bin
        ]
    return [
        sorted(items, key=lambda item: digest(panel.seed, item))[:number]
        for items, number in zip(inside, quotas, strict=True)
    ]


def atoms_of(counts: Mapping[tuple[str, int], int], pieces: int = 3) -> tuple[Atom, ...]:
    """Cut every pattern's bins into a few atoms, silent items apart; each is a stratum of its own."""
    atoms = []
    for pattern in sorted({pattern for pattern, _ in counts}):
        bins = sorted(bin_ for letters, bin_ in counts if letters == pattern)
        groups = [[-1]] if bins[0] == -1 else []
        scored = [bin_ for bin_ in bins if bin_ >= 0]
        step = max(1, -(-len(scored) // pieces))
        groups += [scored[i : i + step] for i in range(0, len(scored), step)]
        for group in groups:
            size = sum(counts[pattern, bin_] for bin_ in group)
            atoms.append(Atom(pattern, group[0], group[-1], size, None, stratum=len(atoms)))
    return tuple(atoms)
