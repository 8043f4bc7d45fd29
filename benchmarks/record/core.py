"""What no study reaches: goals under a budget in two rounds, judgements, drops, and baselines of every kind."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from benchmarks.record.studies import METRICS
from stratawatch.core.alarms.drops import ActiveBaseline
from stratawatch.core.alarms.judge import page_by_window, page_confidence
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.baselines.baseline_from_estimates import baseline_from_estimates
from stratawatch.core.baselines.labelled import labelled_baselines, side_sample_baselines
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes, stratify_for_survey
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.goals import Goal, Limit, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.population import Candidates, Census, Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.resampling.resampled_baselines import measure_baselines

_CONFIDENCES: Final = (0.8, 0.95, 0.999)
_SHARES: Final = (
    "precision",
    "recall",
    "false_omission_rate",
    "accuracy",
    "specificity",
    "negative_predictive_value",
)
"""What baselines of labelled items and of fits are of."""
_RESAMPLING: Final = ("holdout", "random_subsampling", "k_fold", "leave_one_out", "bootstrap_632")
_WHERE: Final = Segment("country", "DE")


def parts() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Names, and what finds the numbers."""
    for seed in (1, 2, 3):
        for past in (False, True):
            words = "with a history" if past else "without a history"
            yield f"core, goals under a budget, census {seed} {words}", partial(_two_rounds, seed, past=past)
    yield "core, judgements", _judgements
    yield "core, baselines of labels", _baselines
    yield "core, baselines of fits", _fits


def _two_rounds(seed: int, *, past: bool) -> dict[str, Any]:
    """Rounds of a design that meets goals and never goes beyond its budget, as a watched panel does."""
    rng = np.random.default_rng(seed)
    patterns = tuple(sorted("".join(letters) for letters in product("01-", repeat=3)))
    cells = [(pattern, bin_) for pattern in patterns for bin_ in sorted(rng.choice(1000, 6, replace=False).tolist())]
    counts = np.ceil(rng.lognormal(3, 1.5, len(cells))).astype(np.int64)
    census = Census(
        ("a", "b", "c"),
        tuple(pattern for pattern, _ in cells),
        np.array([bin_ for _, bin_ in cells]),
        counts,
        {_WHERE: counts // 3},
    )
    history = _history(rng) if past else NO_HISTORY
    survey = SurveySpec((Goal("precision", 0.05), Goal("recall", 0.09, ("a", "b"))), 500, True)
    atoms = stratify_for_survey(census, survey, history)
    pools = pool_sizes(atoms, census.classifiers, survey, history)
    design = FrozenDesign(census.classifiers, atoms, _candidates(atoms, pools, rng), survey)
    truth = {item: "yes" if rng.random() < 0.3 else "no" for item in design.candidates.items}
    drawn: list[str] = []
    plans: list[Any] = []
    for ordinal in (1, 2):
        told = VerdictsByItem({item: truth[item] for item in drawn})  # type: ignore[misc]
        plans.append(design.plan(survey, told, drawn, ordinal=ordinal, history=history, earlier=plans))
        drawn = [design.candidates.items[row] for row in design.draw(plans[-1])]
    told = VerdictsByItem({item: truth[item] for item in drawn})  # type: ignore[misc]
    first = {design.candidates.items[row] for row in design.draw(plans[0])}
    by_round = DrawnItems({item: int(item not in first) for item in drawn})
    return {
        "pools": pools,
        "totals": [plan.totals for plan in plans],
        "exhausted": [plan.exhausted for plan in plans],
        "half-widths": [{", ".join(key): width for key, width in plan.half_widths.items()} for plan in plans],
        "inclusion": design.inclusion(plans[-1]),
        "drawn": drawn,
        "estimates": [
            [_numbers(one) for one in design.estimate(told, by_round, confidence=c, metrics=METRICS, segments=[_WHERE])]
            for c in _CONFIDENCES
        ],
        "compared": [_numbers(design.compare(told, by_round, "a", "c", metric)) for metric in METRICS],
    }


def _history(rng: np.random.Generator) -> History:
    labels = 400
    scores = rng.random(labels)
    letters = [np.where(scores + 0.2 * rng.normal(size=labels) > 0.5, "1", "0") for _ in range(3)]
    return History(
        rng.integers(1, 4, labels),
        tuple(map("".join, zip(*letters, strict=True))),
        scores,
        rng.random(labels) < scores,
        rng.uniform(1, 30, labels),
        rng.random(labels) < 0.4,
    )


def _candidates(atoms: Sequence[Any], pools: Sequence[int], rng: np.random.Generator) -> Candidates:
    home = np.repeat(np.arange(len(atoms)), [atom.size for atom in atoms])
    stratum = np.array([atom.stratum for atom in atoms])[home]
    kept = np.sort(np.concatenate([np.flatnonzero(stratum == h)[:size] for h, size in enumerate(pools)]))
    items = tuple(f"i{row}" for row in kept.tolist())
    digests = tuple(format(number, "032x") for number in rng.permutation(len(kept)).tolist())
    countries = tuple("DE" if row % 3 == 0 else "FR" for row in kept.tolist())
    return Candidates(items, home[kept], digests, {"country": countries})


def _numbers(estimate: Estimate) -> list[Any]:
    outcome = estimate.result
    return [estimate.classifier, estimate.metric, str(estimate.segment or "all"), estimate.labels_used, _known(outcome)]


def _known(outcome: IntervalEstimate | Undefined) -> list[float] | None:
    return [outcome.value, outcome.low, outcome.high, outcome.n_eff] if isinstance(outcome, IntervalEstimate) else None


def _judgements() -> dict[str, Any]:
    """States of many estimates against many limits, and the drops among them."""
    found: dict[str, Any] = {
        f"page confidence {streams} {periods} {pages}": page_confidence(streams, periods, pages)
        for streams, periods, pages in product((1, 8, 60), (12.0, 365.25), (0.5, 2.0))
    }
    baselines = (
        ActiveBaseline(BaselineShare(0.8, 300.0), "1 May"),
        ActiveBaseline(
            TwoSampleBaseline("recall", BaselineShare(0.8, 100.0), BaselineShare(0.02, 400.0), 1000.0, 9000.0), "1 May"
        ),
    )
    limits: tuple[tuple[float | None, float | None, float | None], ...] = (
        (0.7, None, None),
        (None, 0.1, None),
        (0.6, 0.85, None),
        (None, None, 0.05),
        (0.7, None, 0.02),
    )
    for metric, value, labels in product(("precision", "recall", "false_omission_rate"), (0.05, 0.6, 0.8), (40, 900)):
        share = BaselineShare(value, float(labels))
        now, page = (
            Estimate("a", metric, None, share.interval_at(confidence), labels, "", confidence)
            for confidence in (0.95, 0.995)
        )
        for number, (floor, ceiling, drop) in enumerate(limits):
            for baseline in (*baselines, Undefined("none")):
                limit = Limit(metric, floor, ceiling, max_drop=drop)
                state = judge_state([now], 1.0, limit, 0.05, baseline=baseline).state.value
                state = "BREACH" if page_by_window(now, page, limit, baseline=baseline) else state
                found.setdefault(f"state {metric} {value} {labels} limit {number}", []).append(state)
        for baseline in baselines:
            fell = baseline.drop_to(metric, share.interval_at(0.95), 0.95)
            found.setdefault(f"drop {metric} {value} {labels}", []).append([fell.value, fell.low, fell.high])
    return found


def _baselines() -> dict[str, Any]:
    """Of labelled items, of labels drawn apart, and of past estimates."""
    rng = np.random.default_rng(11)
    truth = rng.random(400) < 0.3
    calls = truth ^ (rng.random(400) < 0.15)
    past = [
        Estimate("a", "precision", None, BaselineShare(value, float(n)).interval_at(0.95), n, "", 0.95)
        for value, n in ((0.71, 80), (0.78, 130), (0.69, 90), (0.74, 300))
    ]
    apart = ("precision", "recall", "false_omission_rate", "accuracy", "negative_predictive_value")
    made = {
        "labelled": labelled_baselines(calls, truth, metrics=_SHARES),
        "drawn apart": side_sample_baselines(calls, truth, 5000, 20_000, metrics=apart),
        "past": (baseline_from_estimates(past), baseline_from_estimates(past[:1])),
    }
    return {name: [_baseline(one) for one in some] for name, some in made.items()}


def _fits() -> dict[str, Any]:
    """Of a classifier that is fitted again and again."""
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(12)
    items = rng.normal(size=(150, 3))
    truth = (items.sum(axis=1) + rng.normal(size=150) > 0.8).astype(int)
    return {
        name: [
            _baseline(one)
            for one in measure_baselines(GaussianNB(), items, truth, name, seed=3, metrics=_SHARES).baselines
        ]
        for name in _RESAMPLING
    }


def _baseline(one: Baseline) -> list[Any]:
    return [one.metric, one.n, *(_known(one.interval_at(confidence)) for confidence in _CONFIDENCES)]
