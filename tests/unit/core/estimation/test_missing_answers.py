"""Counts of missing answers, and the test whether they lean on score, side or stratum."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.missing_answers import LEAN_LEVEL, DrawnAnswers
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.verdicts import VerdictsByItem

PATTERNS = ("11", "10", "01", "00", "00", "00")
CELLS = Cells.of_atoms(
    ("lr", "vote"),
    [Atom(p, 900 - 150 * i, 999 - 150 * i, 500, 0.9 - 0.15 * i, stratum=i // 2) for i, p in enumerate(PATTERNS)],
)
DRAWN = np.repeat(np.arange(6), (40, 30, 30, 60, 60, 80))
NOBODY = np.zeros(len(DRAWN), dtype=np.bool_)


def answers(skipped=NOBODY, waiting=NOBODY, rounds=None, *, has_ended: bool = True) -> DrawnAnswers:
    where = np.zeros(len(DRAWN), dtype=np.int64) if rounds is None else rounds
    return DrawnAnswers(CELLS, DRAWN, where, skipped, waiting, has_ended)


def at_random(share: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(len(DRAWN)) < share


def test_counts_by_side_and_stratum() -> None:
    items = tuple(f"i{i}" for i in range(6))
    candidates = Candidates(items, np.arange(6), items)
    ledger = VerdictsByItem({"i0": "yes", "i1": "unresolved", "i3": "no", "i5": "unresolved"})
    found = DrawnAnswers.of(CELLS, candidates, ledger, [items[:4], items[4:]], ["i3"], has_ended=True)
    assert found.missing == 4
    assert found.rounds.tolist() == [0, 0, 0, -1, 1, 1]
    rows = {(one.classifier, one.side, one.stratum): one for one in found.counts}
    numbers = {key: (one.drawn, one.answered, one.skipped, one.expired, one.open) for key, one in rows.items()}
    assert numbers == {
        ("lr", "called positive", None): (2, 1, 1, 0, 0),
        ("lr", "called negative", None): (4, 1, 1, 2, 0),
        ("vote", "called positive", None): (2, 1, 0, 1, 0),
        ("vote", "called negative", None): (4, 1, 2, 1, 0),
        (None, None, 0): (2, 1, 1, 0, 0),
        (None, None, 1): (2, 1, 0, 1, 0),
        (None, None, 2): (2, 0, 1, 1, 0),
    }
    still = replace(found, has_ended=False)
    assert sum(one.open for one in still.counts if one.stratum is not None) == 2
    assert not any(one.expired for one in still.counts)


@pytest.mark.parametrize(
    ("lost", "sentence"),
    [
        (DRAWN <= 1, "of the answers on items that lr calls positive are missing, 0% of the others"),
        (
            (DRAWN == 2) | (DRAWN == 3),
            "of the answers in group 1 of items alike in calls and scores are missing, 0% of the others",
        ),
    ],
)
def test_answers_that_lean_are_named(lost, sentence) -> None:
    lean = answers(skipped=lost & at_random(0.3, seed=3)).lean
    assert lean.p_value <= LEAN_LEVEL
    assert lean.sentence.endswith(sentence)


def test_a_slope_in_the_score_is_named() -> None:
    high = at_random(1.0, seed=4) & (np.random.default_rng(4).random(len(DRAWN)) < CELLS.imputed_scores[DRAWN] ** 2)
    assert answers(skipped=high).lean.sentence == "answers are missing more often where the score is high"


def test_answers_missing_at_random_lean_on_nothing() -> None:
    """The level holds over all columns together, whatever share is missing."""
    alarms = [
        answers(skipped=at_random(share, seed)).lean is not None for share in (0.02, 0.15, 0.5) for seed in range(60)
    ]
    assert sum(alarms) <= 6  # 1.8 expected; more than 6 once in 500


def test_open_questions_lean_on_nothing() -> None:
    high = CELLS.imputed_scores[DRAWN] > 0.7
    assert answers(waiting=high, has_ended=False).lean is None
    assert answers(waiting=high, has_ended=True).lean is not None


def test_a_round_that_nobody_answered_leans_on_nothing() -> None:
    """Which items a second round drew is no choice of annotators."""
    second = CELLS.imputed_scores[DRAWN] > 0.5
    assert answers(waiting=second, rounds=second.astype(np.int64)).lean is None


def test_items_that_nobody_was_asked_about_have_no_part() -> None:
    reused = CELLS.imputed_scores[DRAWN] < 0.5
    lost = ~reused & at_random(0.4, seed=8)
    assert answers(skipped=lost).lean is not None
    assert answers(skipped=lost, rounds=np.where(reused, -1, 0)).lean is None


def test_the_same_answers_always_give_the_same_sentence() -> None:
    lost = (CELLS.imputed_scores[DRAWN] > 0.7) & at_random(0.3, seed=3)
    assert answers(skipped=lost).lean == answers(skipped=lost).lean
