import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study.panel import MOST_LETTERS, Scorer, read_panel

ONE = {"lr": ("score_lr", "pred_lr")}


class TestReadPanel:
    def test_classifiers_come_before_auxiliary_scores(self):
        panel = read_panel("id", {**ONE, "vote": (None, "pred_vote")}, ["judge"], ["country"], None)
        assert panel.scorers == (
            Scorer("lr", "score_lr", "pred_lr"),
            Scorer("vote", None, "pred_vote"),
            Scorer("judge", "judge", None),
        )
        assert (panel.names, panel.auxiliary_names, panel.segments) == (("lr", "vote"), ("judge",), ("country",))

    def test_a_score_kind_is_for_all(self):
        panel = read_panel("id", ONE, ["judge"], [], "margin")
        assert [voice.kind for voice in panel.scorers] == ["margin", "margin"]

    def test_or_for_those_it_names(self):
        panel = read_panel("id", ONE, ["judge"], [], {"judge": "margin"})
        assert [voice.kind for voice in panel.scorers] == ["probability", "margin"]


class TestRefused:
    @pytest.mark.parametrize("classifiers", [{}, None, ["lr"], "lr"])
    def test_no_classifiers(self, classifiers):
        with pytest.raises(StratawatchError, match="a study needs classifiers; expected"):
            read_panel("id", classifiers, [], [], None)

    @pytest.mark.parametrize("columns", ["score_lr", ("score_lr",), ("score_lr", None), ("a", "b", "c"), None])
    def test_a_classifier_without_its_two_columns(self, columns):
        with pytest.raises(
            StratawatchError, match=r"'lr' is not described; expected .score column or None, column of calls"
        ):
            read_panel("id", {"lr": columns}, [], [], None)

    @pytest.mark.parametrize("what", ["auxiliary", "segments"])
    def test_one_word_for_a_list(self, what):
        with pytest.raises(
            StratawatchError, match=rf"{what} is one word; expected a list of column names; say \['judge'\]"
        ):
            read_panel("id", ONE, *(("judge", []) if what == "auxiliary" else ([], "judge")), None)

    def test_a_segment_named_twice(self):
        with pytest.raises(StratawatchError, match="segments names a column twice"):
            read_panel("id", ONE, [], ["country", "country"], None)

    def test_a_classifier_that_is_auxiliary_too(self):
        with pytest.raises(StratawatchError, match="'lr' is a classifier and an auxiliary score"):
            read_panel("id", ONE, ["lr"], [], None)

    @pytest.mark.parametrize("column", ["score_lr", "pred_lr"])
    def test_a_column_of_a_classifier_as_auxiliary(self, column):
        with pytest.raises(StratawatchError) as caught:
            read_panel("id", ONE, ["judge", column], [], None)
        assert str(caught.value) == (
            f"the auxiliary score '{column}' is a column of classifier 'lr'; leave it out: columns of classifiers "
            "guide the design anyway"
        )

    @pytest.mark.parametrize("name", ["", " ", None, 1])
    def test_a_classifier_without_a_name(self, name):
        with pytest.raises(StratawatchError, match="a classifier has no name; expected a word; got"):
            read_panel("id", {name: ("score_lr", "pred_lr")}, [], [], None)

    def test_an_unknown_kind_of_score(self):
        with pytest.raises(StratawatchError, match="score_kind of 'lr' is 'logit'; expected 'probability' or 'margin'"):
            read_panel("id", ONE, [], [], "logit")

    def test_a_kind_for_someone_who_is_not_there(self):
        with pytest.raises(StratawatchError, match="score_kind names 'svm'; expected one of lr"):
            read_panel("id", ONE, [], [], {"svm": "margin"})

    def test_more_letters_than_a_pattern_can_have(self):
        many = {f"c{i}": (None, "p") for i in range(MOST_LETTERS)}
        assert len(read_panel("id", many, [], [], None).scorers) == MOST_LETTERS
        with pytest.raises(StratawatchError, match="the panel is too large; expected at most 30"):
            read_panel("id", many, ["judge"], [], None)
