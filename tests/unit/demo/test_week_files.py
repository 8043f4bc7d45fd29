import duckdb
import pytest

from stratawatch.demo.models import CLASSIFIERS, SCORED_CLASSIFIERS
from stratawatch.demo.week_files import WEEK, parse_message, week_start, write_week


@pytest.fixture(scope="module")
def written(world, tmp_path_factory):
    week = world.week(2, items=1_000)
    return week, write_week(week, tmp_path_factory.mktemp("stage") / "it's here")


def rows(path, columns: str):
    return duckdb.sql(f"SELECT {columns} FROM read_parquet($path) ORDER BY item", params={"path": str(path)}).fetchall()


class TestWriteWeek:
    def test_holds_what_production_would_log_and_no_truth(self, written):
        names = [
            name for name, *_ in duckdb.sql("DESCRIBE FROM read_parquet($p)", params={"p": str(written[1])}).fetchall()
        ]
        scores = [f"score_{name}" for name in SCORED_CLASSIFIERS]
        assert names == ["item", "sent_at", "text", "region", *scores, *(f"says_{name}" for name in CLASSIFIERS)]

    def test_scores_and_calls_are_the_worlds(self, written):
        week, path = written
        assert [
            list(row) for row in rows(path, ", ".join(f"score_{n}" for n in SCORED_CLASSIFIERS))
        ] == week.scores.tolist()
        assert [list(row) for row in rows(path, ", ".join(f"says_{n}" for n in CLASSIFIERS))] == week.calls.tolist()

    def test_times_lie_inside_the_week(self, written):
        times = [time for (time,) in rows(written[1], "sent_at")]
        start = week_start(2).replace(tzinfo=None)
        assert start <= min(times)
        assert max(times) < start + WEEK

    def test_ids_are_unique_and_texts_lead_back_to_the_item(self, written):
        found = rows(written[1], "item, text")
        assert len({item for item, _ in found}) == 1_000
        assert parse_message(found[17][1]) == (2, 17)

    def test_leaves_no_draft_behind(self, written):
        assert [path.name for path in written[1].parent.iterdir()] == ["week-02.parquet"]


class TestReadText:
    def test_a_text_that_is_none_of_ours_is_an_error(self):
        with pytest.raises(ValueError, match="hello"):
            parse_message("hello")
