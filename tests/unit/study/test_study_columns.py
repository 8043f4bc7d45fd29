import pytest

from stratawatch.errors import StratawatchError
from stratawatch.study.study_columns import MOST_LETTERS, Scorer, columns_from_arguments

ONE = {"lr": ("score_lr", "pred_lr")}


class TestReadPanel:
    def test_classifiers_come_before_auxiliary_scores(self):
        panel = columns_from_arguments("id", {**ONE, "vote": (None, "pred_vote")}, ["judge"], ["country"], None)
        assert panel.scorers == (
            Scorer("lr", "score_lr", "pred_lr"),
            Scorer("vote", None, "pred_vote"),
            Scorer("judge", "judge", None),
        )
        assert (panel.names, panel.auxiliary_names, panel.segments) == (("lr", "vote"), ("judge",), ("country",))

    def test_a_score_kind_is_for_all(self):
        panel = columns_from_arguments("id", ONE, ["judge"], [], "margin")
        assert [voice.kind for voice in panel.scorers] == ["margin", "margin"]

    def test_or_for_those_it_names(self):
        panel = columns_from_arguments("id", ONE, ["judge"], [], {"judge": "margin"})
        assert [voice.kind for voice in panel.scorers] == ["probability", "margin"]


class TestRefused:
    @pytest.mark.parametrize("classifiers", [{}, None, ["lr"], "lr"])
    def test_no_classifiers(self, classifiers):
        with pytest.raises(StratawatchError, match="a study needs classifiers; expected"):
            columns_from_arguments("id", classifiers, [], [], None)

    @pytest.mark.parametrize("columns", ["score_lr", ("score_lr",), ("score_lr", None), ("a", "b", "c"), None])
    def test_a_classifier_without_its_two_columns(self, columns):
        with pytest.raises(
            StratawatchError, match=r"'lr' is not described; expected .score column or None, column of calls"
        ):
            columns_from_arguments("id", {"lr": columns}, [], [], None)

    @pytest.mark.parametrize("what", ["auxiliary", "segments"])
    def test_one_word_for_a_list(self, what):
        with pytest.raises(
            StratawatchError, match=rf"{what} is one word; expected a list of column names; say \['judge'\]"
        ):
            columns_from_arguments("id", ONE, *(("judge", []) if what == "auxiliary" else ([], "judge")), None)

    def test_a_segment_named_twice(self):
        with pytest.raises(StratawatchError, match="segments names a column twice"):
            columns_from_arguments("id", ONE, [], ["country", "country"], None)

    def test_a_classifier_that_is_auxiliary_too(self):
        with pytest.raises(StratawatchError, match="'lr' is a classifier and an auxiliary score"):
            columns_from_arguments("id", ONE, ["lr"], [], None)

    @pytest.mark.parametrize("column", ["score_lr", "pred_lr"])
    def test_a_column_of_a_classifier_as_auxiliary(self, column):
        with pytest.raises(StratawatchError) as caught:
            columns_from_arguments("id", ONE, ["judge", column], [], None)
        assert str(caught.value) == (
            f"the auxiliary score '{column}' is a column of classifier 'lr'; leave it out: columns of classifiers "
            "guide the design anyway"
        )

    @pytest.mark.parametrize("name", ["", " ", None, 1])
    def test_a_classifier_without_a_name(self, name):
        with pytest.raises(StratawatchError, match="a classifier has no name; expected a word; got"):
            columns_from_arguments("id", {name: ("score_lr", "pred_lr")}, [], [], None)

    def test_an_unknown_kind_of_score(self):
        with pytest.raises(StratawatchError, match="score_kind of 'lr' is 'logit'; expected 'probability' or 'margin'"):
            columns_from_arguments("id", ONE, [], [], "logit")

    def test_a_kind_for_someone_who_is_not_there(self):
        with pytest.raises(StratawatchError, match="score_kind names 'svm'; expected one of lr"):
            columns_from_arguments("id", ONE, [], [], {"svm": "margin"})

    def test_more_letters_than_a_pattern_can_have(self):
        many = {f"c{i}": (None, "p") for i in range(MOST_LETTERS)}
        assert len(columns_from_arguments("id", many, [], [], None).scorers) == MOST_LETTERS
        with pytest.raises(StratawatchError, match="the panel is too large; expected at most 30"):
            columns_from_arguments("id", many, ["judge"], [], None)
