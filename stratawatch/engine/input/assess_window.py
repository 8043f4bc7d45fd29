"""One look at a window: what it holds, and whether a cycle on it would be frozen or refused, and why.

A cycle is frozen with this look, and `plan`, `census` and `check` show it: they cannot say other things of one window.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stratawatch.core.designs.frozen import pool_sizes, stratify_for_survey
from stratawatch.core.goals import Focus
from stratawatch.core.history.past_labels import History
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.planning.context import borrowed_priors
from stratawatch.core.population import Atom
from stratawatch.engine.evidence.focus import focus_of_panel
from stratawatch.engine.evidence.labelled_before import items_labelled_by
from stratawatch.engine.input.bad_row_reasons import advice, exceeds_max_share, summary
from stratawatch.engine.input.previous_windows import earlier_judged_windows, missed_rows, previous_cycle_to_recount
from stratawatch.engine.input.window_drift import DriftFinding, drift_refusal, find_drift
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult, CheckReport
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.survey_of_panel import survey_for_pools, survey_of_panel
from stratawatch.engine.ports import Ports, WindowReader
from stratawatch.engine.progress import phase
from stratawatch.errors import InputRefused, PlanImpossible, StratawatchError, Unreachable
from stratawatch.formatting import percent


@dataclass(frozen=True)
class Refusal:
    """Why a window is refused: the sentence that its cycle keeps, and the error for who only wanted to look."""

    sentence: str
    error: StratawatchError


@dataclass(frozen=True)
class WindowAssessment:
    """What was found of a window, as far as it was looked at: a refusal ends the look.

    `profile` has the rows that came too late and every warning; `candidates` is empty where nobody asked for them.
    `focus` is what labels follow, as the evidence stands now; `labelled_before` are items that have a verdict already,
    where random numbers are by window.
    """

    counted: CensusResult
    profile: InputProfile
    history: History
    bad_rows: tuple[QuarantinedRow, ...]
    drift: tuple[DriftFinding, ...] = ()
    atoms: tuple[Atom, ...] = ()
    candidates: tuple[CandidateItem, ...] = ()
    docs: str | None = None
    refusal: Refusal | None = None
    focus: Focus | None = None
    variance_priors: tuple[VariancePrior, ...] = ()
    labelled_ids: frozenset[str] = frozenset()
    labelled_before: tuple[CandidateItem, ...] = ()

    def require_fit(self) -> None:
        """Raise the error of the refusal, if there is one."""
        if self.refusal is not None:
            raise self.refusal.error


def assess_window(
    ports: Ports, spec: PanelSpec, window: Window, period: int, *, opened_at: datetime, with_candidates: bool
) -> WindowAssessment:
    """Count a window, check its input, cut its strata and, if asked, fetch their candidates and check them too.

    `opened_at`: labels that were there by then are history. Raises Unreachable, or StratawatchError of the source.
    """
    source = ports.sources.get(spec.name)
    if source is None:
        raise Unreachable(
            f"panel '{spec.name}' has no source any more",
            hint="put it back into the configuration, or cancel the cycle",
        )
    with source.reading(spec, window) as reading:
        found = _input(ports, spec, window, period, reading, opened_at)
        if found.refusal is not None and with_candidates:
            return found  # a cycle goes no further; who only looks wants to see the strata all the same
        try:
            with phase("grouping items"):
                survey = survey_of_panel(spec, found.focus)
                found = replace(
                    found,
                    atoms=stratify_for_survey(found.counted.census, survey, found.history),
                    variance_priors=borrowed_priors(survey, found.history, found.counted.census.classifiers),
                )
        except PlanImpossible as trouble:
            return replace(found, refusal=found.refusal or Refusal(str(trouble), trouble))
        return _with_candidates(ports, spec, window, reading, found) if with_candidates else found


def _input(
    ports: Ports, spec: PanelSpec, window: Window, period: int, reading: WindowReader, opened_at: datetime
) -> WindowAssessment:
    """The census with its check and its drift."""
    with ports.store.begin() as tx:
        history = label_history(tx, spec, period, opened_at)
        earlier, before = earlier_judged_windows(tx, spec.name, period), previous_cycle_to_recount(tx, spec, period)
        focus, labelled = focus_of_panel(tx, ports, spec), items_labelled_by(tx, spec, opened_at)
    counted = reading.census()
    report = ports.check.profile(spec, window, counted.profile)
    bad_rows = (*counted.bad_rows, *report.bad_rows)
    found = WindowAssessment(
        counted, counted.profile, history, bad_rows, docs=report.docs, focus=focus, labelled_ids=labelled
    )
    if report.refusal:
        return _refused(found, spec, report)
    profile = replace(counted.profile, missed=missed_rows(reading.rows, before))
    drift = find_drift(spec, profile, earlier)
    sentence = drift_refusal(spec, drift)
    warned = _with_warnings(profile, (*report.failures, *map(str, drift)), sentence)
    return replace(found, profile=warned, drift=drift, refusal=_refusal(sentence) if sentence else None)


def _with_candidates(
    ports: Ports, spec: PanelSpec, window: Window, reading: WindowReader, found: WindowAssessment
) -> WindowAssessment:
    """The pool of candidates of every stratum, checked row by row."""
    classifiers = found.counted.census.classifiers
    survey = survey_for_pools(survey_of_panel(spec, found.focus), found.history)
    quotas = pool_sizes(found.atoms, classifiers, survey, found.history)
    items = reading.candidates(found.atoms, quotas)
    _require_all_candidates(quotas, [found.atoms[item.atom].stratum for item in items])
    report = ports.check.candidates(spec, window, items)
    return replace(
        found,
        candidates=items,
        labelled_before=reading.items_by_id(found.atoms, found.labelled_ids) if found.labelled_ids else (),
        docs=report.docs or found.docs,
        bad_rows=(*found.bad_rows, *report.bad_rows),
        profile=_with_warnings(found.profile, (*found.profile.warnings, *report.failures), report.refusal),
        refusal=_refusal(report.refusal) if report.refusal else None,
    )


def _refused(found: WindowAssessment, spec: PanelSpec, report: CheckReport) -> WindowAssessment:
    """The refusal of a window whose profile failed the check; too many bad rows are counted, with what to do."""
    profile = found.profile
    refusal = _refusal(report.refusal)
    if exceeds_max_share(spec, profile):
        refusal = _refusal(
            report.refusal,
            expected=f"at most {percent(spec.max_bad_row_share)} of rows that cannot be used",
            got=f"{profile.bad_rows:,} of {profile.rows:,}: {summary(spec, profile, found.counted.bad_rows)}",
            hint=advice(spec, profile) or "`stratawatch census` counts them by reason and shows some",
        )
    return replace(found, profile=_with_warnings(profile, report.failures, report.refusal), refusal=refusal)


def _refusal(sentence: str, *, expected: str = "", got: str = "", hint: str = "") -> Refusal:
    what = "a cycle on this window would be refused"
    return Refusal(sentence, InputRefused(what, expected=expected, got=got or sentence, hint=hint))


def _with_warnings(profile: InputProfile, sentences: Sequence[str], refusal: str = "") -> InputProfile:
    """Each warning once, in the form that has a remedy, and without the sentence that refuses the window."""
    longest = [one for one in sentences if not any(other.startswith(f"{one}; ") for other in sentences)]
    warnings = dict.fromkeys(one for one in longest if not refusal.startswith(one))
    return replace(profile, warnings=tuple(warnings))


def _require_all_candidates(quotas: Sequence[int], strata: Sequence[int]) -> None:
    """Raise where a pool has fewer items than the census counted: the table changed between the two queries."""
    fetched = Counter(strata)
    short = [stratum for stratum, quota in enumerate(quotas) if fetched[stratum] < quota]
    if short:
        raise Unreachable(
            "the source changed while it was read",
            expected=f"{quotas[short[0]]} candidates in stratum {short[0]}",
            got=str(fetched[short[0]]),
            hint="it is read again at the next advance",
        )
