"""Whatever people do, in whatever order, a study keeps its promises."""

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from stratawatch.core.goals import Goal
from stratawatch.errors import StratawatchError
from stratawatch.study import Study
from tests.support.hypothesis_examples import examples
from tests.support.study_frames import StudyData

STUDY_DATA = StudyData(300)
FRAME = STUDY_DATA.frame()


class StudyMachine(RuleBasedStateMachine):
    """One study after another of the same population: asked, half told, put away, corrected, followed by the next."""

    @initialize(budget=st.sampled_from([None, 20, 60, 400]), stop_rule=st.sampled_from([None, "sequential"]))
    def begin(self, budget, stop_rule):
        self.wishes = {"budget": budget, "stop_rule": stop_rule, "goals": [Goal("precision", 0.1), Goal("recall", 0.2)]}
        self.past = None
        self._begin()

    def _begin(self):
        self.study = STUDY_DATA.study(frame=FRAME, history=self.past, **self.wishes)
        self.told, self.ever_asked = {}, set()

    @rule()
    def ask(self):
        batch = self.study.ask()
        assert self.study.ask() == batch
        assert len(set(batch)) == len(batch)
        assert not set(batch) & self.told.keys()
        self.ever_asked |= set(batch)

    @precondition(lambda self: self.study._progress.open)
    @rule(share=st.floats(0.1, 1), unknown=st.booleans())
    def tell(self, share, unknown):
        batch = self.study.ask()
        news = {item: STUDY_DATA.truth(item) for item in batch[: max(1, int(share * len(batch)))]}
        if unknown:
            news[batch[0]] = None
        self.study.tell(news)
        self.told |= news

    @precondition(lambda self: self.told)
    @rule()
    def correct(self):
        item, before = next(iter(self.told.items()))
        with pytest.raises(StratawatchError, match="is labelled already"):
            self.study.tell({item: not before})
        self.study.tell({item: not before}, correct=True)
        self.told[item] = not before

    @rule()
    def tell_what_was_not_asked(self):
        stranger = next((item for item in STUDY_DATA.columns["item_id"] if item not in self.ever_asked), "nobody")
        with pytest.raises(StratawatchError):
            self.study.tell({stranger: True})

    @rule()
    def put_away_and_go_on(self):
        text = self.study.to_json()
        self.study = Study.from_json(text, FRAME)
        assert self.study.to_json() == text

    @precondition(lambda self: self.told)
    @rule()
    def begin_the_next_one(self):
        self.past = self.study.history()
        self._begin()

    @invariant()
    def nobody_is_asked_too_much(self):
        progress = self.study._progress
        assert self.study.labels_new == len(self.ever_asked) <= (self.wishes["budget"] or 300)
        assert not self.ever_asked & progress.past_labels.keys()
        assert len(progress.rounds) <= 2 or self.wishes["stop_rule"] == "sequential"

    @invariant()
    def what_is_told_is_what_is_known(self):
        words = {True: "yes", False: "no", None: "unresolved"}
        assert self.study._progress.labels == {item: words[value] for item, value in self.told.items()}

    @invariant()
    def every_estimate_has_a_value_inside_its_interval_or_a_reason(self):
        for row in self.study.estimates():
            if row.state == "undefined":
                assert row.reason
                assert row.value is None
            else:
                assert 0 <= row.low <= row.value <= row.high <= 1


TestMachine = StudyMachine.TestCase
TestMachine.settings = settings(max_examples=examples(25), stateful_step_count=15, deadline=None, derandomize=True)
