"""A study asks which items to label, takes the labels and estimates. It needs no database and no orchestrator."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from stratawatch.core.designs.frozen import FrozenDesign, method_warnings, pool_sizes, stratify_for_survey
from stratawatch.core.designs.label_error import GoldAnswers, corrected_estimates, side_shares
from stratawatch.core.designs.missing_bounds import REWEIGHTING, missing_bounds
from stratawatch.core.estimation.missing_answers import AnswerCounts, DrawnAnswers
from stratawatch.core.goals import Goal, Option, SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.history.vanished_calls import called_part
from stratawatch.core.metrics import REPORTED, metric_named
from stratawatch.core.planning.context import borrowed_priors
from stratawatch.core.population import Atom
from stratawatch.core.second_votes import NO_SECOND_VOTES, SecondVotes, next_vote
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.errors import StratawatchError
from stratawatch.study.answers import label_pairs, not_asked, refuse_changed_label, verdict_from, verdict_of, votes_from
from stratawatch.study.arguments import (
    StopRule,
    capped_budget,
    check_reachable,
    metric_names,
    reachable_margins,
    read_stop_rule,
    read_survey,
)
from stratawatch.study.estimate_rows import StudyEstimate, StudyEstimates, study_estimates, with_corrections
from stratawatch.study.labelled_study import LabelledStudy
from stratawatch.study.notebook_html import html_paragraph
from stratawatch.study.plan_rows import StudyPlan, study_plan
from stratawatch.study.result_table import ResultTable
from stratawatch.study.round_rules import CycleRounds, SequentialRounds, look_confidence
from stratawatch.study.serialisation import (
    FORMAT,
    arguments_document,
    atoms_of,
    check_consistent,
    progress_of,
    read_arguments,
    study_document,
)
from stratawatch.study.study_columns import ScoreKinds, columns_from_arguments
from stratawatch.study.study_history import (
    StudyHistory,
    document_errors,
    history_of_panel,
    parse_saved_json,
    past_labels_of_study,
)
from stratawatch.study.study_pictures import StudyPicture, draw_study, estimates_by_round
from stratawatch.study.study_population import read_population
from stratawatch.study.study_progress import StudyProgress, StudyRound, drawn_in, shuffled


class Study:
    """Precision, recall and the other metrics of some classifiers, from as few labels as their goals allow.

    Ask which items to label, tell what people said, read the estimates; again until there is nothing left to ask.

    Args:
        frame: A pandas DataFrame, pyarrow Table or polars DataFrame, one row an item.
        item: Its column of ids.
        classifiers: `{"name": ("score column or None", "column of calls")}`; calls are true, false, or null where the
            classifier did not say.
        goals: What should be known how precisely; without any, every precision to .03 and every recall to .05
            (a budget then goes weakly for every false-omission rate too).
        budget: The most items that people are asked about, spent where the goals gain most; None: as many as the goals
            need.
        seed: The same seed draws the same items from any frame that holds them.
        confidence: Of all intervals.
        history: An earlier study's `history()`.
        segments: Columns whose values are reported on their own.
        auxiliary: Score columns that only guide the design.
        score_kind: "probability" or "margin", for all classifiers or by name.
        stop_rule: "budget" (spend it), "goals" (as few labels as they need) or "sequential" (rounds until they hold,
            instead of two or three at most); without it "budget" where there is one, else "goals".
        design: "joint"; or to compare with it, and with a budget: "srs", "kumar", "bennett", "tripathi".
        options: Settings of the design.
        variance: "default"; or to compare with it "labels", which takes nothing from history, and "brr", for the
            joint design and designs made from it.
        cluster: A column of customers, sessions or the like, whose items hang together: intervals count that, and are
            about customers to come with scores and calls like these.
        second_votes: "called_negative_yes": where a classifier calls an item negative that the first person says yes
            to, a second person is asked, and a third one if they disagree. They come on top of the budget.
        rounds: With `stop_rule="goals"` 3, or 2 where people shall wait less: how often labels are asked for at most.
        sequential: The old name of `stop_rule="sequential"`.

    Examples:
        >>> import numpy as np
        >>> import pandas as pd
        >>> score = np.random.default_rng(1).beta(1, 5, 2000)
        >>> frame = pd.DataFrame({"id": range(2000), "score": score, "call": score > 0.4})
        >>> study = Study(frame, item="id", classifiers={"lr": ("score", "call")}, budget=200)
        >>> while items := study.ask():
        ...     study.tell({item: bool(score[item] > 0.45) for item in items})
        >>> study
        Study of lr: 2,000 items, 200 asked about, done
        >>> precision = study.estimates().of("lr", "precision")
        >>> bool(precision.low < np.mean(score[score > 0.4] > 0.45) < precision.high)
        True
    """

    def __init__(
        self,
        frame: object,
        *,
        item: str,
        classifiers: Mapping[str, tuple[str | None, str]],
        goals: Iterable[Goal] = (),
        budget: int | None = None,
        seed: int | str = 0,
        confidence: float = 0.95,
        history: StudyHistory | None = None,
        segments: Iterable[str] = (),
        auxiliary: Iterable[str] = (),
        score_kind: ScoreKinds = None,
        stop_rule: StopRule | None = None,
        design: str = "joint",
        options: Mapping[str, Option] | None = None,
        variance: str = "default",
        cluster: str | None = None,
        second_votes: SecondVotes = NO_SECOND_VOTES,
        rounds: int = 3,
        sequential: bool | None = None,
    ) -> None:
        panel = columns_from_arguments(item, classifiers, auxiliary, segments, score_kind, cluster)
        rule = read_stop_rule(stop_rule, budget, sequential)
        survey = read_survey(
            goals,
            budget,
            confidence,
            panel.names,
            stop_rule=rule,
            design=design,
            options=options,
            seed=str(seed),
            variance=variance,
            second_votes=second_votes,
            rounds=rounds,
        )
        if rule == "sequential":
            # Its looks have more confidence than intervals that borrow from history were measured for.
            survey = survey.without_borrowing
        self._past = history_of_panel(history, panel)
        self._stop_rule: StopRule = rule
        self._population = read_population(frame, panel, str(seed))
        self._survey = capped_budget(survey, self._population.census)
        check_reachable(self._survey, self._population.census)
        self._progress = StudyProgress(past_labels=self._past_labels())
        atoms = stratify_for_survey(self._population.census, self._survey, self._history)
        self._freeze(atoms, pool_sizes(atoms, panel.names, self._survey_with_past_labels, self._history))

    def ask(self) -> list[Any]:
        """Items to be labelled next; the same ones until they have labels, and none when the study is done."""
        progress = self._progress
        while not progress.open and not progress.done:
            self._plan_round()
        return [self._population.items.given(item) for item in progress.open]

    def tell(self, answers: Any, *, correct: bool = False) -> None:
        """Say what people said of items that were asked: True, False, or None where they could not tell.

        Yes and no, 1 and 0, as text too, are read as True and False, and skip as None. `answers` is a mapping by item,
        a Series, or a frame of two columns, items and labels, whose rows without a label are left out. All or nothing:
        where one answer cannot be taken, none is. `correct` allows to change labels. With second votes an answer is a
        list of what people said, the first one first; `needs_vote` says how long.
        """
        progress = self._progress
        asked, checked = progress.asked, self._design.checked_items
        found: dict[str, Verdict] = {}
        single = self._survey.second_votes == NO_SECOND_VOTES
        for given, value in label_pairs(answers, self._population.panel.item):
            item = str(given)
            if item not in asked:
                row = self._population.items.rows_of(self._population.seed, [item])[0]
                raise not_asked(item, has_label=item in progress.past_labels, is_in_frame=bool(row >= 0))
            verdict = verdict_from(item, value) if single else verdict_of(item, value, item in checked)
            refuse_changed_label(item, found.get(item, verdict), verdict, is_repeated=True)
            found[item] = verdict
            if item in progress.labels and not correct:
                refuse_changed_label(item, progress.labels[item], found[item])
        progress.labels.update(found)

    def needs_vote(self, item: Any, answers: Sequence[bool | None]) -> bool:
        """Whether another person is to be asked about an item of which people said this, in this order."""
        is_checked = str(item) in self._design.checked_items
        return not answers or (is_checked and next_vote(votes_from(str(item), answers)) is not None)

    def estimates(self, metrics: Iterable[str] | None = None, *, gold: GoldAnswers | None = None) -> StudyEstimates:
        """Every metric of every classifier, whole and by segment.

        `metrics` None: precision, recall, false_omission_rate, and what a goal is for. `gold`: what people said,
        one by one, of items whose truth is known; then each row also has the value of labels without their errors.
        """
        of_goals = (goal.metric for goal in self._survey.goals)
        names = tuple(dict.fromkeys([*REPORTED, *of_goals])) if metrics is None else metric_names(metrics)
        rounds, confidence = self._evidence()
        ledger, drawn = self._ledger, drawn_in(rounds)
        segments = sorted(self._population.census.segments)
        found = self._design.estimate(ledger, drawn, confidence=confidence, metrics=names, segments=segments)
        bounds = missing_bounds(self._design, ledger, drawn, found)
        rows = study_estimates(found, self._margins, self._remark, bounds, self._answers.lean)
        if gold is None:
            return rows
        shares = side_shares(self._design, ledger, drawn, confidence=confidence, segments=segments)
        return with_corrections(rows, corrected_estimates(self._design, found, shares, gold))

    def answer_counts(self) -> ResultTable[AnswerCounts]:
        """How many drawn items were answered, skipped or are open, by classifier and side, then by stratum."""
        return ResultTable(self._answers.counts)

    def compare(self, first: str, second: str, metric: str) -> StudyEstimate:
        """A metric of one classifier minus that of another, on the same items and labels."""
        for name in (first, second):
            if name not in self._names:
                raise StratawatchError(f"there is no classifier {name!r}", expected=f"one of {', '.join(self._names)}")
        rounds, confidence = self._evidence()
        found = self._design.compare(
            self._ledger, drawn_in(rounds), first, second, metric_named(metric).name, confidence
        )
        return study_estimates([found], {}, self._remark)[0]

    def labelled(self) -> LabelledStudy:
        """The design with its labels so far, as `pool_studies` reads them."""
        rounds, confidence = self._evidence()
        return LabelledStudy(self._design, self._ledger, drawn_in(rounds), confidence)

    def plan(self) -> StudyPlan:
        """What the study is expected to ask and to find out, from scores or history alone: before any label."""
        panel = self._population.panel
        return study_plan(self._design, self._survey, self._history, panel.names + panel.auxiliary_names)

    @property
    def labels_new(self) -> int:
        """Distinct items that people were asked about."""
        return len(self._progress.asked)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences that users should know: what was measured of the methods, and whether missing answers lean."""
        lean = self._answers.lean
        return (*method_warnings(self._survey), *([f"{lean.sentence}; {REWEIGHTING}"] if lean else []))

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        return self._progress.done and not self._progress.open

    def history(self) -> StudyHistory:
        """Every label so far, with those of earlier studies: the `history` of the next study."""
        rows = past_labels_of_study(self._past.period + 1, self._population, self._design, self._progress)
        items = [(atom.pattern, atom.size) for atom in self._design.atoms]
        return self._past.followed_by(rows, called_part(items, len(self._design.classifiers)))

    def to_json(self) -> str:
        """The study as text, without its frame; `from_json` goes on where it was."""
        population = self._population
        given = arguments_document(population.panel, self._survey, population.seed, self._stop_rule)
        return json.dumps(
            study_document(given, population.fingerprint, self._design.atoms, self._pools, self._past, self._progress)
        )

    @classmethod
    def from_json(cls, text: str, frame: object) -> "Study":
        """Go on with a study; the frame must hold the same items, calls, scores and segments, in any order."""
        document = parse_saved_json(text, FORMAT)
        with document_errors(FORMAT):
            check_consistent(document)
            given, atoms, pools = read_arguments(document), atoms_of(document), tuple(map(int, document["pools"]))
            progress, fingerprint = progress_of(document), document["fingerprint"]
        study = cls(frame, **given)
        if study._population.fingerprint != fingerprint:
            raise StratawatchError(
                "the frame is not the one that the study was made of",
                expected="the same items, calls, scores, segments and clusters",
                hint="begin a new Study, and give it this one's history()",
            )
        with document_errors(FORMAT):
            frozen = study._population.with_segments(atoms)
        study._freeze(frozen, pools)
        study._progress = replace(progress, past_labels=study._progress.past_labels)
        return study

    def plot(self) -> StudyPicture:
        """Three pictures: intervals beside margins, half-widths by labels, where labels went. Needs the extra `report`.

        Once something was asked.
        """
        if not self._progress.rounds:
            raise StratawatchError("there is nothing to draw yet", hint="ask() first, and tell() what people said")
        rounds, _ = self._evidence()
        found = estimates_by_round(self._design, self._ledger, rounds, self._confidence_after, self._margins)
        plan = self.plan()
        return draw_study(self.estimates(), found, (plan.labels, plan.expected), self._design, self._answers.counts)

    def _repr_html_(self) -> str:
        head = html_paragraph(repr(self))
        return head + self.estimates().to_html(self.warnings) if self._progress.rounds else head

    def __repr__(self) -> str:
        progress, who = self._progress, ", ".join(self._names)
        state = "done" if self.done else f"{len(progress.open):,} items open" if progress.rounds else "not begun"
        return f"Study of {who}: {len(self._population):,} items, {self.labels_new:,} asked about, {state}"

    @property
    def _names(self) -> tuple[str, ...]:
        return self._population.panel.names

    @property
    def _ledger(self) -> VerdictsByItem:
        return VerdictsByItem(self._progress.verdicts)

    @property
    def _survey_with_past_labels(self) -> SurveySpec:
        """The survey with the past labels added to its budget: pools must hold them beside what the budget buys."""
        budget = self._survey.budget
        return (
            self._survey if budget is None else replace(self._survey, budget=budget + len(self._progress.past_labels))
        )

    def _freeze(self, atoms: Sequence[Atom], pools: Sequence[int]) -> None:
        self._pools = tuple(pools)
        candidates = self._population.candidates(atoms, pools)
        priors = borrowed_priors(self._survey, self._history, self._names)
        self._design = FrozenDesign(self._names, tuple(atoms), candidates, self._survey, priors)

    def _larger(self, sizes: Sequence[int]) -> FrozenDesign:
        """The study's design with pools of at least these sizes."""
        pools = tuple(map(max, self._pools, sizes))
        if pools != self._pools:
            self._freeze(self._design.atoms, pools)
        return self._design

    def _plan_round(self) -> None:
        progress = self._progress
        rule = (
            SequentialRounds(self._survey, self._history, self._margins, self._larger)
            if self._stop_rule == "sequential"
            else CycleRounds(self._survey, self._history, self._larger)
        )
        plan = rule.next(self._design, progress)
        drawn = progress.drawn
        rows = () if plan is None else self._design.draw(plan)
        added = [item for item in (self._design.candidates.items[row] for row in rows) if item not in drawn]
        if plan is None or not added:
            progress.done = True
            return
        fresh = (item for item in added if item not in progress.past_labels)
        progress.rounds.append(StudyRound(plan, tuple(added), shuffled(self._population.seed, fresh)))

    def _evidence(self) -> tuple[Sequence[StudyRound], float]:
        """The rounds that estimates rest on, and their confidence."""
        rounds = self._progress.closed if self._stop_rule == "sequential" else self._progress.rounds
        return rounds, self._confidence_after(len(rounds))

    def _confidence_after(self, rounds: int) -> float:
        """The confidence of estimates from so many rounds: looks that may be the last are paid for."""
        confidence = self._survey.confidence
        return look_confidence(confidence, rounds) if self._stop_rule == "sequential" else confidence

    @property
    def _answers(self) -> DrawnAnswers:
        progress, design = self._progress, self._design
        rounds = [one.added for one in progress.rounds]
        return DrawnAnswers.of(design.cells, design.candidates, self._ledger, rounds, progress.reused, has_ended=False)

    @property
    def _remark(self) -> str:
        if self._stop_rule != "sequential":
            return ""
        look = max(len(self._progress.closed), 1)
        level = look_confidence(self._survey.confidence, look)
        return f"; confidence sequence, look {look} at {level:.2%}"

    @cached_property
    def _presence(self) -> list[bool]:
        """Which items of the history the frame still holds."""
        items = [row.item for row in self._past.rows]
        return [bool(row >= 0) for row in self._population.items.rows_of(self._population.seed, items)]

    @cached_property
    def _margins(self) -> Mapping[tuple[str, str], float]:
        return reachable_margins(self._survey, self._population.census)

    @cached_property
    def _history(self) -> History:
        return self._past.as_history(self._past.period + 1, self._presence, self._population.seed)

    def _past_labels(self) -> dict[str, Any]:
        present = {row.item for row, here in zip(self._past.rows, self._presence, strict=True) if here}
        return {item: verdict for item, verdict in self._past.verdicts().items() if item in present}
