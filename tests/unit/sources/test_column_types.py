import pytest

from stratawatch.adapters.sources.column_types import column_problems, kind_of
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns
from stratawatch.errors import InputRefused
from tests.support.predictions.panels import panel

FOUND = {"id": "VARCHAR", "ts": "TIMESTAMP", "score": "DOUBLE", "flag": "BOOLEAN", "tags": "VARCHAR[]"}


class TestKindOf:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("BOOLEAN", "flag"),
            ("TINYINT", "number"),
            ("UBIGINT", "number"),
            ("HUGEINT", "number"),
            ("DECIMAL(18,3)", "number"),
            ("FLOAT", "number"),
            ("VARCHAR", "text"),
            ("ENUM('a', 'b')", "text"),
            ("DATE", "moment"),
            ("TIMESTAMP_NS", "moment"),
            ("TIMESTAMP WITH TIME ZONE", "zoned"),
            ("VARCHAR[]", "other"),
            ("DOUBLE[]", "other"),
            ("STRUCT(a INTEGER)", "other"),
            ("DECIMAL(18,3)[]", "other"),
            ("TIMESTAMP[]", "other"),
            ("BLOB", "other"),
        ],
    )
    def test_types_are_sorted_by_what_they_can_serve_as(self, name, kind):
        assert kind_of(name) == kind


class TestColumnProblems:
    def test_a_source_that_has_them_all_passes(self):
        assert not problems(panel(columns=Columns("id", "ts", ("tags",), ("flag",), "id")))

    @pytest.mark.parametrize(
        ("columns", "role"),
        [
            (Columns("x", "ts"), "the item id"),
            (Columns("id", "x"), "the time"),
            (Columns("id", "ts", ("x",)), "payload for labellers"),
            (Columns("id", "ts", (), ("x",)), "a segment"),
            (Columns("id", "ts", cluster="x"), "the cluster"),
        ],
    )
    def test_a_missing_column_is_named_with_its_role(self, columns, role):
        (sentence,) = problems(panel(columns=columns))
        assert sentence.startswith(f"column 'x' ({role} of panel 'posts') is missing")

    @pytest.mark.parametrize(
        ("one", "sentence"),
        [
            (ClassifierSpec("lr", "flag", cut_off=0.5), "column 'flag' cannot be the score of classifier 'lr'"),
            (ClassifierSpec("lr", "ts", cut_off=0.5), "column 'ts' cannot be the score of classifier 'lr'"),
            (
                ClassifierSpec("lr", call="tags"),
                "column 'tags' cannot be the call of classifier 'lr'; expected a boolean",
            ),
            (
                ClassifierSpec("lr", call="flag", call_yes="2"),
                (
                    "column 'flag' cannot be the call of classifier 'lr' with call_yes = '2'; expected a text or a number; "
                    "got BOOLEAN; write call_yes as the column has it, or remove it: booleans, and 0 and 1, are read without"
                ),
            ),
            (
                ClassifierSpec("lr", call="score", call_yes="block"),
                "column 'score' cannot be the call of classifier 'lr' with call_yes = 'block'; expected a text; got DOUBLE",
            ),
        ],
    )
    def test_a_column_that_cannot_hold_it_is_named_with_its_type(self, one, sentence):
        (problem,) = problems(panel((one,)))
        assert problem.startswith(sentence)

    def test_a_number_is_no_time(self):
        (sentence,) = problems(panel(columns=Columns("id", "score")))
        assert sentence.startswith("column 'score' cannot be the time; expected a timestamp or")

    def test_many_columns_are_not_all_listed(self):
        found = {f"column_{i}": "DOUBLE" for i in range(100)}
        assert all("and 60 more" in sentence for sentence in problems(panel(), found))

    def test_every_column_is_reported_once_with_the_key_that_names_it(self):
        spec = panel(
            columns=Columns("x", "score", payload=("x", "y"), segments=("z",)), auxiliary=(AuxiliarySpec("judge", "j"),)
        )
        assert [(one.column.column, one.column.key) for one in column_problems(spec, FOUND)] == [
            ("x", ("columns", "item")),
            ("score", ("columns", "time")),
            ("j", ("auxiliary", "judge", "score")),
            ("z", ("columns", "segments")),
            ("y", ("columns", "payload")),
        ]

    def test_no_column_of_another_classifier_is_guessed(self):
        """Who took the guess would measure one model by the calls of another."""
        spec = panel((ClassifierSpec("lr", "score", call="pred_lr"), ClassifierSpec("rf", "score", call="pred_rf")))
        found = {**FOUND, "pred_rf": "BOOLEAN", "call_lr": "BOOLEAN"}
        (sentence,) = problems(spec, found)
        assert sentence.startswith("column 'pred_lr'")
        assert "did you mean" not in sentence
        assert "did you mean 'pred_l'?" in problems(spec, {**found, "pred_l": "BOOLEAN"})[0]

    def test_another_delimiter_is_refused_as_a_whole(self):
        with pytest.raises(InputRefused, match="look like one line of a CSV file"):
            problems(panel(), {"id;ts;score": "VARCHAR"})


def problems(spec, types=FOUND):
    return [str(one.error) for one in column_problems(spec, types)]
