"""Whether a window's input is unlike that of the windows judged before it: each finding in words, with its remedy."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from stratawatch.engine.input.score_scale import Range, changed_scale
from stratawatch.engine.model.drift_rule import Reaction
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec, Window
from stratawatch.formatting import count, percent, span_text

REMEMBERED: Final = 4
"""Judged windows that a new one is compared with."""
LEAST: Final = 100
"""Fewer rows tell nothing about a share or a scale."""
# Scores rounded to so few decimals repeat their extremes by chance.
_DECIMALS: Final = 4

Kind = Literal["volume", "silent", "scale", "frozen", "types", "replay", "missed", "clock"]


@dataclass(frozen=True)
class EarlierWindow:
    """A judged window: the specification it was read with, and its profile."""

    spec: PanelSpec
    window: Window
    profile: InputProfile

    def column(self, one: ClassifierSpec) -> Mapping[str, int] | None:
        """The window's counts of a classifier, if it read that score and call in the same way."""
        same = any(_reads(other) == _reads(one) for other in self.spec.classifiers)
        return self.profile.columns.get(one.name) if same else None

    def range(self, one: ClassifierSpec) -> Range | None:
        """The window's smallest and largest score of a classifier."""
        found = self.profile.ranges.get(one.name)
        return None if found is None or self.column(one) is None else (found[0], found[1])


@dataclass(frozen=True)
class DriftFinding:
    """Something that drifted, and what to do about it."""

    kind: Kind
    sentence: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.sentence}; {self.remedy}"


def find_drift(spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> tuple[DriftFinding, ...]:
    """Everything that drifted and is not to be ignored; `earlier` has the newest window last."""
    found = [finding for look in _CHECKS for finding in look(spec, profile, earlier)] if profile.rows else []
    return tuple(finding for finding in found if reaction_to(spec, finding) != "ignore")


def reaction_to(spec: PanelSpec, finding: DriftFinding) -> Reaction:
    """What the panel wants done about a finding."""
    found: Reaction = getattr(spec.drift, finding.kind)
    return found


def drift_refusal(spec: PanelSpec, findings: Iterable[DriftFinding]) -> str:
    """The sentence that refuses the window, or nothing."""
    for finding in findings:
        if reaction_to(spec, finding) == "refuse":
            accept = f'if it is as it should be, set {finding.kind} = "warn" in [panels.{spec.name}.drift]'
            return f"{finding}; {accept} and reopen the cycle"
    return ""


def _volume(spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    past = [one.profile.rows for one in earlier if one.profile.rows]
    if not past:
        return
    usual, factor = median(past), spec.drift.factor
    much = profile.rows >= factor * usual
    if much or profile.rows * factor <= usual:
        windows = "the window before" if len(past) == 1 else f"the {len(past)} judged windows before (median)"
        sentence = f"the window has {profile.rows:,} rows, {windows} {count(usual)}"
        why = "was something loaded twice, or a filter lost?" if much else "is the export complete?"
        yield DriftFinding("volume", sentence, why)


def _silent(spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    for one in spec.classifiers:
        past = [
            _share_of_calls(column, before.profile.rows)
            for before in earlier
            if (column := before.column(one)) and before.profile.rows
        ]
        now = _share_of_calls(profile.columns[one.name], profile.rows)
        usual = median(past) if past else 0.0
        if profile.rows < LEAST:
            continue
        if not past and now == 0:
            sentence = f"classifier '{one.name}' made no call on any of {profile.rows:,} rows"
            yield DriftFinding("silent", sentence, "does it run, and is this the column of its calls?")
        elif usual > 0 and now * spec.drift.factor <= usual:
            sentence = f"classifier '{one.name}' made a call on {percent(now)} of the rows, before on {percent(usual)}"
            yield DriftFinding("silent", sentence, "does it still run, under this name and in this column?")


def _scale(spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    for one in spec.classifiers:
        now = profile.ranges.get(one.name)
        past = [found for before in earlier if (found := before.range(one))]
        if now is None or not past or _scored(one, profile) < LEAST:
            continue
        was = (min(low for low, _ in past), max(high for _, high in past))
        looks = changed_scale(one.score_kind, was, (now[0], now[1]))
        if looks:
            sentence = (
                f"the scores of '{one.name}' lie between {now[0]:g} and {now[1]:g}, before between {was[0]:g} and "
                f"{was[1]:g}: {looks}"
            )
            yield DriftFinding("scale", sentence, "mend the score, or give the new one a classifier of its own name")


def _frozen(spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    for one in spec.classifiers:
        now, scored = profile.ranges.get(one.name), _scored(one, profile)
        if now is None or scored < LEAST:
            continue
        if now[0] == now[1]:
            sentence = f"all {scored:,} scores of '{one.name}' are {now[0]:g}"
            yield DriftFinding("frozen", sentence, "does it still read its features?")
            continue
        twin = next((before for before in reversed(earlier) if _twins(one, profile, before)), None)
        if twin is not None and twin.profile.fingerprint != profile.fingerprint:
            sentence = f"the scores of '{one.name}' are those of the window {_named(twin)}, as far as counts tell"
            yield DriftFinding("frozen", sentence, "are they computed anew for every window?")


def _types(_spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    before = earlier[-1].profile.kinds if earlier else {}
    for name, kind in profile.kinds.items():
        was = before.get(name, kind)
        if was != kind:
            sentence = f"column '{name}' holds {_WORDS.get(kind, kind)}, before {_WORDS.get(was, was)}"
            remedy = "ids and segments that are written otherwise are others; restore the type in the export"
            yield DriftFinding("types", sentence, remedy)


def _replay(_spec: PanelSpec, profile: InputProfile, earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    for before in earlier:
        if profile.fingerprint and before.profile.fingerprint == profile.fingerprint:
            sentence = f"every count of the window is that of the window {_named(before)}"
            yield DriftFinding("replay", sentence, "was the old export delivered again under new times?")


def _missed(spec: PanelSpec, profile: InputProfile, _earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    if profile.missed:
        sentence = f"{profile.missed:,} rows of the window before came after it was read and are counted in none"
        yield DriftFinding("missed", sentence, f"raise lateness in [panels.{spec.name}.schedule], or name ingested")


def _clock(spec: PanelSpec, profile: InputProfile, _earlier: Sequence[EarlierWindow]) -> Iterator[DriftFinding]:
    if profile.early and profile.early > spec.max_bad_row_share * profile.rows:
        sentence = f"{profile.early:,} of {profile.rows:,} rows are dated later than the window in which they arrived"
        yield DriftFinding("clock", sentence, f"is the clock behind '{spec.columns.time}' right, and in UTC?")


_CHECKS: Final[tuple[Callable[[PanelSpec, InputProfile, Sequence[EarlierWindow]], Iterator[DriftFinding]], ...]] = (
    _replay,
    _volume,
    _silent,
    _scale,
    _frozen,
    _types,
    _missed,
    _clock,
)
_WORDS: Final = {
    "flag": "booleans",
    "number": "numbers",
    "text": "text",
    "moment": "timestamps",
    "zoned": "timestamps with time zone",
    "other": "another kind of value",
}


def _reads(one: ClassifierSpec) -> tuple[str | None, ...]:
    return one.name, one.score, one.score_kind, one.call, one.call_yes


def _share_of_calls(column: Mapping[str, int], rows: int) -> float:
    return (rows - int(column["nulls"]) - int(column["invalid"])) / rows


def _scored(one: ClassifierSpec, profile: InputProfile) -> int:
    column = profile.columns[one.name]
    return profile.rows - column["score_nulls"] - column["score_invalid"]


def _twins(one: ClassifierSpec, profile: InputProfile, before: EarlierWindow) -> bool:
    """Whether the window before had as many rows, calls and silences, and extremes equal to the last bit."""
    now, then = profile.ranges[one.name], before.range(one)
    have_many_digits = any(round(score, _DECIMALS) != score for score in now)
    return (
        have_many_digits
        and then == (now[0], now[1])
        and before.profile.rows == profile.rows
        and before.column(one) == profile.columns[one.name]
    )


def _named(one: EarlierWindow) -> str:
    return span_text(one.window.start, one.window.end)
