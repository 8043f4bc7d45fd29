import pytest

from stratawatch.adapters.sources.column_types import kind_of, require_columns
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.errors import InputRefused
from tests.contracts.sources.panels import panel

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
    def test_types_are_sorted_by_what_they_can_serve_as(self, name: str, kind: str) -> None:
        assert kind_of(name) == kind


class TestRequireColumns:
    def test_a_source_that_has_them_all_passes(self) -> None:
        require_columns(panel(columns=Columns("id", "ts", ("tags",), ("flag",), "id")), FOUND)

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
    def test_a_missing_column_is_named_with_its_role(self, columns: Columns, role: str) -> None:
        with pytest.raises(InputRefused, match=rf"column 'x' \({role} of panel 'posts'\) is missing"):
            require_columns(panel(columns=columns), FOUND)

    @pytest.mark.parametrize(
        ("one", "sentence"),
        [
            (ClassifierSpec("lr", "flag", cut_off=0.5), "column 'flag' cannot be the score of classifier 'lr'"),
            (ClassifierSpec("lr", "ts", cut_off=0.5), "column 'ts' cannot be the score of classifier 'lr'"),
            (ClassifierSpec("lr", call="tags"), "column 'tags' cannot be the call of classifier 'lr'"),
        ],
    )
    def test_a_column_that_cannot_hold_it_is_named_with_its_type(self, one: ClassifierSpec, sentence: str) -> None:
        with pytest.raises(InputRefused, match=sentence):
            require_columns(panel((one,)), FOUND)

    def test_a_number_is_no_time(self) -> None:
        with pytest.raises(InputRefused, match="column 'score' cannot be the time; expected a timestamp or"):
            require_columns(panel(columns=Columns("id", "score")), FOUND)

    def test_many_columns_are_not_all_listed(self) -> None:
        found = {f"column_{i}": "DOUBLE" for i in range(100)}
        with pytest.raises(InputRefused, match="and 60 more"):
            require_columns(panel(), found)
