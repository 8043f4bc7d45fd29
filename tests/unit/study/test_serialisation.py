"""A study that is put away as text goes on where it was."""

import json
from pathlib import Path

import pandas as pd
import pytest

from stratawatch.core.estimation import side_intervals
from stratawatch.core.goals import Goal
from stratawatch.errors import StratawatchError
from stratawatch.study import Study
from tests.support.study_frames import StudyData

STUDY_DATA = StudyData()
SETTINGS = {
    "budget": 150,
    "goals": [Goal("precision", 0.03), Goal("recall", 0.05, ["vote"])],
    "segments": ["region"],
    "auxiliary": ["judge"],
    "confidence": 0.9,
    "seed": "it's",
}


def reopened(study, frame=None):
    return Study.from_json(study.to_json(), STUDY_DATA.frame() if frame is None else frame)


class TestFromJson:
    def test_before_the_first_ask(self):
        study = STUDY_DATA.study(**SETTINGS)
        assert reopened(study).ask() == study.ask()

    def test_in_the_middle_of_a_round(self):
        study = STUDY_DATA.study(**SETTINGS)
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()[:30]})
        again = reopened(study)
        assert again.ask() == study.ask()
        assert repr(again) == repr(study)
        assert STUDY_DATA.answer(again) == STUDY_DATA.answer(study)
        assert again.estimates() == study.estimates()

    def test_when_it_is_done(self):
        study = STUDY_DATA.study(**SETTINGS)
        STUDY_DATA.answer(study, nobody_knows={study.ask()[0]})
        again = reopened(study)
        assert again.done
        assert again.ask() == []
        assert again.history() == study.history()
        assert again.to_json() == study.to_json()

    def test_a_sequential_study_with_a_history(self):
        first = STUDY_DATA.study(budget=250)
        STUDY_DATA.answer(first)
        study = STUDY_DATA.study(goals=[Goal("precision", 0.08)], history=first.history(), stop_rule="sequential")
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()})
        again = reopened(study)
        assert STUDY_DATA.answer(again) == STUDY_DATA.answer(study)
        assert again.estimates() == study.estimates()

    def test_rows_may_have_another_order_and_the_frame_another_kind(self):
        study = STUDY_DATA.study(**SETTINGS)
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()[:30]})
        assert reopened(study, STUDY_DATA.frame().sample(frac=1, random_state=1)).ask() == study.ask()
        assert reopened(study, STUDY_DATA.frame("pyarrow")).ask() == study.ask()

    def test_what_was_frozen_is_not_cut_anew(self):
        """A later version may cut other strata; a study that is under way keeps its own."""
        study = STUDY_DATA.study(**SETTINGS)
        document = json.loads(study.to_json())
        for atom in document["atoms"]:
            atom["stratum"] = 0
        document["pools"] = [150]
        again = Study.from_json(json.dumps(document), STUDY_DATA.frame())
        assert [row.stratum for row in again.plan().strata] == [0]
        assert len(again.ask()) == 60


class TestText:
    def test_holds_no_frame(self):
        study = STUDY_DATA.study(**SETTINGS)
        study.ask()
        assert len(study.to_json()) < 60_000
        json.loads(study.to_json(), parse_constant=pytest.fail)

    @pytest.mark.parametrize(
        "changes", [{"score_lr": STUDY_DATA.columns["score_lr"] ** 2}, {"item_id": list(range(4000))}]
    )
    def test_another_frame_is_refused(self, changes):
        study = STUDY_DATA.study(**SETTINGS)
        with pytest.raises(StratawatchError) as caught:
            reopened(study, STUDY_DATA.frame(**changes))
        assert str(caught.value) == (
            "the frame is not the one that the study was made of; expected the same items, calls, scores, segments and "
            "clusters; begin a new Study, and give it this one's history()"
        )

    @pytest.mark.parametrize("key", ["wishes", "fingerprint", "atoms", "pools", "history", "rounds", "told", "done"])
    def test_one_that_lacks_something_is_refused(self, key):
        document = json.loads(STUDY_DATA.study(**SETTINGS).to_json())
        del document[key]
        with pytest.raises(StratawatchError, match=f"the text lacks '{key}'; expected a whole stratawatch study 1"):
            Study.from_json(json.dumps(document), STUDY_DATA.frame())

    @pytest.mark.parametrize("sequential", [True, False])
    @pytest.mark.parametrize("budget", [None, 60])
    def test_one_of_an_earlier_version_goes_on_by_its_own_rule(self, sequential, budget):
        rule = {"stop_rule": "sequential"} if sequential else {}
        study = STUDY_DATA.study(goals=[Goal("precision", 0.08, ("lr",))], budget=budget, **rule)
        document = json.loads(study.to_json())
        del document["wishes"]["stop_rule"]
        document["wishes"]["sequential"] = sequential
        document["wishes"]["goals"] = [
            {"metric": goal["metric"], "margin": goal["margin"], "of": goal["classifiers"]}
            for goal in document["wishes"]["goals"]
        ]
        again = Study.from_json(json.dumps(document), STUDY_DATA.frame())
        assert again.to_json() == study.to_json()
        assert again.ask() == study.ask()

    def test_one_without_its_rule_is_refused(self):
        document = json.loads(STUDY_DATA.study(**SETTINGS).to_json())
        del document["wishes"]["stop_rule"]
        with pytest.raises(StratawatchError, match="the text lacks 'sequential'"):
            Study.from_json(json.dumps(document), STUDY_DATA.frame())

    @pytest.mark.parametrize("key", ["item", "budget", "score_kind"])
    def test_one_that_lacks_a_wish_is_refused_too(self, key):
        """Without its budget it would go on for as many labels as the goals need."""
        document = json.loads(STUDY_DATA.study(**SETTINGS).to_json())
        del document["wishes"][key]
        with pytest.raises(StratawatchError, match=f"the text lacks '{key}'"):
            Study.from_json(json.dumps(document), STUDY_DATA.frame())

    def test_one_that_was_saved_before_there_was_a_choice_of_designs_goes_on(self):
        study = STUDY_DATA.study(**SETTINGS)
        document = json.loads(study.to_json())
        for later in ("design", "options", "variance", "cluster"):
            del document["wishes"][later]
        assert Study.from_json(json.dumps(document), STUDY_DATA.frame()).ask() == study.ask()

    @pytest.mark.parametrize(
        ("part", "value", "said"),
        [
            ("atoms", [], "pools of 0 strata"),
            ("pools", [], "0 pools of"),
            ("rounds", [], "an answer about 'i"),
            ("rounds", {}, "'rounds' is no list"),
            ("told", [], "'told' is no table"),
            ("told", {"i4001": "yes"}, "an answer about 'i4001', which was not asked about"),
            ("done", "x", "'done' is no switch"),
            ("wishes", [], "'wishes' is no table"),
        ],
    )
    def test_one_whose_parts_contradict_one_another_is_refused(self, part, value, said):
        study = STUDY_DATA.study(**SETTINGS)
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()[:30]})
        document = json.loads(study.to_json())
        document[part] = value
        with pytest.raises(StratawatchError, match=f"the text is damaged; .* got .*{said}"):
            Study.from_json(json.dumps(document), STUDY_DATA.frame())

    def test_so_is_one_with_another_answer_or_another_round(self):
        study = STUDY_DATA.study(**SETTINGS)
        study.tell({item: STUDY_DATA.truth(item) for item in study.ask()[:30]})
        for change, said in (
            (lambda document: document["told"].update(dict.fromkeys(document["told"], "perhaps")), "answer 'perhaps'"),
            (lambda document: document["rounds"][0]["totals"].append(3), "a round of other strata"),
        ):
            document = json.loads(study.to_json())
            change(document)
            with pytest.raises(StratawatchError, match=f"the text is damaged; .*{said}"):
                Study.from_json(json.dumps(document), STUDY_DATA.frame())

    def test_so_is_one_whose_atoms_hold_only_some_items(self):
        document = json.loads(STUDY_DATA.study(**SETTINGS).to_json())
        strata = [atom["stratum"] for atom in document["atoms"]]
        twin = next(place for place, stratum in enumerate(strata) if strata.count(stratum) > 1)
        del document["atoms"][twin]
        with pytest.raises(StratawatchError, match=r"the text is damaged; .*atoms that do not hold every item"):
            Study.from_json(json.dumps(document), STUDY_DATA.frame())

    @pytest.mark.parametrize("text", [None, 3, ["a"]])
    def test_what_is_no_text_is_refused(self, text):
        with pytest.raises(StratawatchError, match="the text is not JSON; expected stratawatch study 1; got"):
            Study.from_json(text, STUDY_DATA.frame())

    def test_one_with_half_an_atom_is_refused(self):
        document = json.loads(STUDY_DATA.study(**SETTINGS).to_json())
        del document["atoms"][0]["pattern"]
        with pytest.raises(StratawatchError, match=r"the text is damaged; .*pattern"):
            Study.from_json(json.dumps(document), STUDY_DATA.frame())

    def test_a_history_is_no_study(self):
        study = STUDY_DATA.study(**SETTINGS)
        with pytest.raises(StratawatchError, match="the text is something else; expected stratawatch study 1; got"):
            Study.from_json(study.history().to_json(), STUDY_DATA.frame())


class TestEarlierVersions:
    """`saved_before.json` was written before version 0.2 renamed fields; its text must load for ever."""

    @pytest.fixture
    def saved(self):
        return json.loads(Path(__file__).with_name("saved_before.json").read_text(encoding="utf-8"))

    def test_a_study_goes_on_to_the_numbers_that_it_came_to_then(self, saved):
        study = Study.from_json(saved["study"], pd.DataFrame(saved["frame"]))
        assert study.ask() == [item for item, _ in saved["open"]]
        study.tell(dict(saved["open"]))
        found = [[r.classifier, r.metric, r.segment, r.value] for r in study.estimates()]
        assert [row[:3] for row in found] == [row[:3] for row in saved["estimates"]]
        assert [row[3] for row in found] == pytest.approx([row[3] for row in saved["estimates"]], rel=1e-9)

    def test_its_intervals_are_within_those_of_then(self, saved):
        """Small counts have larger tails since, and others follow history: none is wider, and none by far narrower."""
        study = Study.from_json(saved["study"], pd.DataFrame(saved["frame"]))
        study.tell(dict(saved["open"]))
        for row, (_, _, _, _, low, high) in zip(study.estimates(), saved["estimates"], strict=True):
            assert low <= row.low * (1 + 1e-9)
            assert row.high <= high * (1 + 1e-9)
            assert row.high - row.low > 0.95 * (high - low)

    def test_its_intervals_without_larger_tails_or_history_are_those_of_then(self, saved, monkeypatch):
        monkeypatch.setattr(side_intervals, "TAIL_GROWTH", 0.0)
        then = json.loads(saved["study"])
        then["wishes"]["variance"] = "labels"
        study = Study.from_json(json.dumps(then), pd.DataFrame(saved["frame"]))
        study.tell(dict(saved["open"]))
        found = [[row.value, row.low, row.high] for row in study.estimates()]
        assert found == [pytest.approx(row[3:], rel=1e-9) for row in saved["estimates"]]

    def test_what_it_says_today_can_be_read_too(self, saved):
        frame = pd.DataFrame(saved["frame"])
        study = Study.from_json(saved["study"], frame)
        assert Study.from_json(study.to_json(), frame).ask() == study.ask()
