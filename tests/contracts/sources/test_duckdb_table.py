"""What is a DuckDB file's own: schemas, views, collations, a writer who holds the file, and the folder it must lie in."""

import duckdb
import pytest

from stratawatch.adapters.sources.duckdb_session import DuckDBLimits, confine_to_folder, duckdb_session
from stratawatch.adapters.sources.duckdb_table import DuckDBTableSource
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.errors import ConfigError, Unreachable
from tests.support.predictions.panels import WINDOW, panel
from tests.support.programs import start

ROWS = (
    "SELECT id, TIMESTAMP '2026-01-05' AS ts, CAST(0.25 AS DOUBLE) AS score, FALSE AS flag "
    "FROM (VALUES ('a'), ('A'), ('a '), ('b')) AS t(id)"
)
WRITER = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "it's predictions.duckdb"
    with duckdb.connect(str(path), config={"autoinstall_known_extensions": False}) as connection:
        connection.execute("CREATE TABLE loose (id VARCHAR COLLATE NOCASE, ts TIMESTAMP, score DOUBLE, flag BOOLEAN)")
        connection.execute(f"INSERT INTO loose {ROWS}")
        connection.execute("CREATE SCHEMA apart")
        connection.execute('CREATE VIEW apart."a ""view""; --" AS SELECT * FROM main.loose')
    return path


def drawn(source):
    found = source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, 4, None)], [4])
    return sorted((one.item, one.copies) for one in found)


def test_a_collation_that_ignores_case_merges_no_ids(file):
    assert drawn(DuckDBTableSource(file, "loose")) == [("A", 1), ("a", 1), ("a ", 1), ("b", 1)]


def test_nor_are_decisions_that_differ_in_case_the_same_yes(file):
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"CREATE TABLE decided AS SELECT * REPLACE (id AS flag) FROM ({ROWS})")
        connection.execute("ALTER TABLE decided ALTER flag TYPE VARCHAR COLLATE NOCASE")
        assert connection.execute("SELECT COUNT(*) FROM decided WHERE flag = 'a'").fetchone() == (2,)
    gate = panel((ClassifierSpec("gate", "score", call="flag", call_yes="a"),))
    assert DuckDBTableSource(file, "decided").census(gate, WINDOW).profile.columns["gate"]["positives"] == 1


def test_a_view_of_another_schema_is_read(file):
    source = DuckDBTableSource(file, 'a "view"; --', schema="apart")
    assert source.census(panel(), WINDOW).census.size == 4
    assert source.describe(panel()).facts["table"] == 'a "view"; --'


def test_tables_may_be_called_as_those_of_the_queries_are(file):
    """The queries have steps and a table of their own, `quotas`; a view may read a user's tables of those names."""
    with duckdb.connect(str(file)) as connection:
        for name in ("quotas", "given", "classified"):
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM loose")
        inside = "id IN (SELECT id FROM given) AND id IN (SELECT id FROM classified)"
        connection.execute(f"CREATE VIEW behind AS SELECT * FROM quotas WHERE {inside}")
    expected = [("A", 1), ("a", 1), ("a ", 1), ("b", 1)]
    for name in ("quotas", "given", "classified", "behind"):
        assert drawn(DuckDBTableSource(file, name)) == expected


def test_the_version_is_the_file_as_it_was_found(file):
    version = DuckDBTableSource(file, "loose").census(panel(), WINDOW).source_version
    assert (version["file"], version["table"], version["bytes"]) == (str(file), "loose", file.stat().st_size)


def test_a_table_that_is_not_there_is_unreachable(file):
    with pytest.raises(Unreachable, match=r"'nowhere of .*' cannot be read") as caught:
        DuckDBTableSource(file, "nowhere").describe(panel())
    assert "\n" not in str(caught.value)


def test_a_writer_who_holds_the_file_is_named_and_waited_for(file):
    with start("-c", WRITER, file) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        with pytest.raises(Unreachable, match=rf"is held by .* got process {writer.pid}; an advance tries again"):
            drawn(DuckDBTableSource(file, "loose"))
        writer.communicate("")
    assert len(drawn(DuckDBTableSource(file, "loose"))) == 4


def test_a_link_out_of_the_folder_is_refused(file):
    home = file.parent / "home"
    home.mkdir()
    (home / "link.duckdb").symlink_to(file)
    with pytest.raises(ConfigError, match="behind a link that leads out"):
        drawn(DuckDBTableSource(home / "link.duckdb", "loose", confined_to=home))


class TestViewsOfFiles:
    """A view is whatever the writer of the file made it, so it may not choose what else is read."""

    @pytest.fixture
    def home(self, tmp_path):
        home = tmp_path / "it's home"
        (home / "parts").mkdir(parents=True)
        for folder in (tmp_path, home / "parts"):
            with duckdb.connect(":memory:") as connection:
                connection.execute(f"COPY ({ROWS}) TO {literal(folder / 'rows.parquet')} (FORMAT parquet)")
        (home / "parts" / "link.parquet").symlink_to(tmp_path / "rows.parquet")
        places = {
            "within": home / "parts" / "rows.parquet",
            "beyond": tmp_path / "rows.parquet",
            "dots": home / ".." / "rows.parquet",
            "link": home / "parts" / "link.parquet",
        }
        with duckdb.connect(str(home / "views.duckdb")) as connection:
            for name, place in places.items():
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({literal(place)})")
        return home

    def test_inside_the_folder_are_read(self, home):
        assert len(drawn(DuckDBTableSource(home / "views.duckdb", "within", confined_to=home))) == 4

    @pytest.mark.parametrize("view", ["beyond", "dots", "link"])
    def test_outside_of_it_are_refused_unless_that_is_allowed(self, home, view):
        with pytest.raises(ConfigError, match=r"outside of the folder of the configuration.*allow_outside = true"):
            drawn(DuckDBTableSource(home / "views.duckdb", view, confined_to=home))
        assert len(drawn(DuckDBTableSource(home / "views.duckdb", view))) == 4

    def test_large_answers_still_spill(self, home):
        with duckdb_session(DuckDBLimits("60MB", 1)) as connection:
            confine_to_folder(connection, home)
            connection.execute(
                "CREATE TEMP TABLE many AS SELECT MD5(CAST(range AS VARCHAR)) AS m FROM range(4_000_000)"
            )
            assert connection.execute("SELECT COUNT(*) FROM duckdb_temporary_files()").fetchone()[0] > 0


def literal(path):
    return "'" + str(path).replace("'", "''") + "'"
