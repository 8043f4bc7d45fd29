"""What is PostgreSQL's own: types, collations, rights, time limits; and nothing is ever written."""

from datetime import timedelta

import psycopg
import pytest

from stratawatch.adapters.sources.postgres_session import postgres_errors, server_url, snapshot
from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.adapters.sources.statements import Statements
from stratawatch.core.population import NO_BIN, Atom
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.errors import ConfigError, InputRefused, Unreachable
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write_postgres

pytestmark = pytest.mark.postgres


def table(*ids, **changes):
    number = len(ids)
    return {
        "id": ("VARCHAR", list(ids)),
        "ts": ("TIMESTAMP", [START.replace(tzinfo=None)] * number),
        "score": ("DOUBLE", [0.25] * number),
        "flag": ("VARCHAR", ["0"] * number),
        **changes,
    }


def drawn(source, size):
    found = source.candidates(panel(), WINDOW, [Atom("0", NO_BIN, 1023, size, None)], [size])
    return sorted((one.item, one.copies) for one in found)


@pytest.fixture
def own(new_postgres):
    """The address of a database of our own, and a connection to it."""
    url = new_postgres().replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        yield url, connection


class TestIds:
    def test_ids_and_segments_are_compared_by_their_bytes_whatever_the_columns_collation(self):
        """The server that tests start has no collation that ignores case, so that the text itself is looked at."""
        spec = panel(columns=Columns("id", "ts", segments=("lang",)))
        types = {"id": "VARCHAR", "ts": "TIMESTAMP", "score": "DOUBLE", "flag": "BOOLEAN", "lang": "VARCHAR"}
        text = Statements(spec, "rows", types, "postgres").candidates(WINDOW)
        assert 'CAST(item_given AS TEXT) COLLATE "C" AS item' in text
        assert 'CAST("lang" AS TEXT) COLLATE "C" AS segment_1' in text

    def test_blanks_of_char_are_no_part_of_a_value(self, own):
        """PostgreSQL itself holds 'a' and 'a ' for equal in char(n): two such rows are copies of one item."""
        url, _ = own
        name = write_postgres(url, "padded", table("a", "a ", "b"), {"id": "char(4)"})
        assert drawn(PostgresSource(url, name), 3) == [("a", 2), ("a", 2), ("b", 1)]

    @pytest.mark.parametrize(
        ("kind", "ids"), [("bigint", ["1", "20"]), ("uuid", ["0" * 8 + "-0000-0000-0000-" + "0" * 12])]
    )
    def test_ids_of_other_types_are_their_text(self, own, kind, ids):
        url, _ = own
        name = write_postgres(url, "other_ids", table(*ids), {"id": kind})
        assert drawn(PostgresSource(url, name), len(ids)) == [(one, 1) for one in sorted(ids)]


class TestNames:
    @pytest.mark.parametrize("name", ["quotas", "renamed", "scored", 'Quo"ted', 'a"; DROP TABLE x; --', "100%s %(x)s"])
    def test_a_table_may_be_called_as_a_step_of_the_queries_is(self, own, name):
        url, _ = own
        source = PostgresSource(url, write_postgres(url, name, table("a", "b")))
        assert source.census(panel(), WINDOW).census.size == 2
        assert drawn(source, 2) == [("a", 1), ("b", 1)]


class TestTypes:
    @pytest.mark.parametrize("kind", ["real", "numeric(9,4)", "double precision", "text"])
    def test_a_score_of_any_number_falls_into_the_same_bin(self, own, kind):
        url, _ = own
        name = write_postgres(url, "scores", table("a"), {"score": kind})
        assert list(PostgresSource(url, name).census(panel(), WINDOW).census.bins) == [480]

    @pytest.mark.parametrize("kind", ["timestamptz", "timestamp(3)", "date", "text"])
    def test_a_time_of_any_type_is_read_in_utc(self, own, kind):
        url, _ = own
        name = write_postgres(url, "times", table("a"), {"ts": kind})
        profile = PostgresSource(url, name).census(panel(), WINDOW).profile
        assert (profile.rows, profile.first_time) == (1, START)

    def test_text_that_is_no_number_is_a_bad_row(self, own):
        url, _ = own
        name = write_postgres(url, "texts", table("a", "b", score=("VARCHAR", ["high", "0.5"])))
        answer = PostgresSource(url, name).census(panel(), WINDOW)
        assert [one.reason for one in answer.bad_rows] == [
            "the score of 'lr' in 'score' is not a probability in [0, 1]"
        ]

    @pytest.mark.parametrize("value", ["1e400", "-1e400", "Infinity"])
    def test_a_number_that_no_double_holds_is_a_bad_row(self, own, value):
        url, _ = own
        name = write_postgres(url, "huge", table("a", "b", score=("VARCHAR", [value, "0.5"])), {"score": "numeric"})
        answer = PostgresSource(url, name).census(panel(), WINDOW)
        assert (answer.profile.rows, answer.census.size) == (2, 1)
        assert [one.reason for one in answer.bad_rows] == [
            "the score of 'lr' in 'score' is not a probability in [0, 1]"
        ]

    def test_no_number_is_no_score(self, own):
        url, _ = own
        name = write_postgres(url, "none", table("a", "b", score=("VARCHAR", ["NaN", "0.5"])), {"score": "numeric"})
        answer = PostgresSource(url, name).census(panel(), WINDOW)
        assert (answer.profile.bad_rows, answer.profile.columns["lr"]["score_nulls"]) == (0, 1)

    @pytest.mark.parametrize("kind", ["real", "double precision", "numeric", "numeric(9,4)", "text"])
    def test_no_number_is_no_call(self, own, kind):
        url, _ = own
        name = write_postgres(url, "calls", table("a", "b", flag=("VARCHAR", ["NaN", "1"])), {"flag": kind})
        answer = PostgresSource(url, name).census(panel(), WINDOW)
        assert (answer.census.patterns, answer.profile.bad_rows) == (("-", "1"), 0)

    def test_a_number_next_to_nothing_is_nothing(self, own):
        url, _ = own
        name = write_postgres(url, "tiny", table("a", score=("VARCHAR", ["1e-400"])), {"score": "numeric"})
        assert PostgresSource(url, name).census(panel(), WINDOW).census.size == 1

    def test_enums_domains_and_views_serve(self, own):
        url, connection = own
        connection.execute("CREATE TYPE answer AS ENUM ('0', '1')")
        connection.execute("CREATE DOMAIN share AS double precision CHECK (value >= 0)")
        name = write_postgres(url, "odd_types", table("a"), {"flag": "answer", "score": "share"})
        connection.execute(f"CREATE SCHEMA apart; CREATE VIEW apart.\"a 'view'\" AS SELECT * FROM {name}")
        source = PostgresSource(url, "a 'view'", schema="apart")
        assert source.census(panel(), WINDOW).census.size == 1
        assert source.describe(panel()).facts["table"] == "apart.a 'view'"

    def test_json_is_payload_and_no_score(self, own):
        url, _ = own
        name = write_postgres(url, "documents", table("a", body=("VARCHAR", ['{"x": 1}'])), {"body": "jsonb"})
        source = PostgresSource(url, name)
        spec = panel(columns=Columns("id", "ts", ("body",)))
        (one,) = source.candidates(spec, WINDOW, [Atom("0", NO_BIN, 1023, 1, None)], [1])
        assert one.payload == {"body": {"x": 1}}
        with pytest.raises(InputRefused, match="column 'body' cannot be the score of classifier 'lr'"):
            source.census(panel((ClassifierSpec("lr", "body", cut_off=0.5),)), WINDOW)


class TestTrouble:
    def test_a_table_that_is_not_there_is_unreachable(self, postgres_server):
        with pytest.raises(Unreachable, match="check the source's schema and table"):
            PostgresSource(postgres_server, "nowhere").describe(panel())

    def test_a_user_without_rights_is_told_which(self, own):
        url, connection = own
        name = write_postgres(url, "closed", table("a"))
        connection.execute("DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN")
        try:
            stranger = PostgresSource(url.replace("//postgres:", "//stranger:"), name)
            with pytest.raises(Unreachable, match="grant SELECT on it to the source's user"):
                stranger.census(panel(), WINDOW)
        finally:
            connection.execute("DROP ROLE stranger")

    @pytest.mark.parametrize(
        "query", ["SELECT nowhere FROM pg_class", "SELECT oid FROM pg_class, pg_type", "SELECT nothing(1)"]
    )
    def test_columns_that_do_not_fit_are_refused_as_they_are_elsewhere(self, postgres_server, query):
        with (
            pytest.raises(InputRefused, match=r"the columns of 'rows' do not fit together; got .*; give the") as caught,
            postgres_errors("rows"),
            snapshot(server_url(postgres_server), timedelta(minutes=1)) as connection,
        ):
            connection.exec_driver_sql(query)
        assert "next advance" not in str(caught.value)

    def test_a_value_of_many_digits_is_not_repeated_in_full(self, postgres_server):
        with (
            pytest.raises(InputRefused, match=r"holds a value that cannot be read; got .*000\.\.\.") as caught,
            postgres_errors("rows"),
            snapshot(server_url(postgres_server), timedelta(minutes=1)) as connection,
        ):
            connection.exec_driver_sql("SELECT CAST(CAST('1e400' AS numeric) AS float8)")
        assert len(str(caught.value)) < 300

    def test_a_query_ends_at_its_time_limit(self, own):
        url, connection = own
        write_postgres(url, "slow_rows", table("a"))
        connection.execute("CREATE VIEW slow AS SELECT * FROM slow_rows WHERE pg_sleep(5) IS NOT NULL")
        with pytest.raises(Unreachable, match="raise the source's timeout"):
            PostgresSource(url, "slow", timeout=timedelta(milliseconds=200)).census(panel(), WINDOW)

    def test_nothing_can_be_written(self, own):
        url, connection = own
        write_postgres(url, "kept", table("a"))
        connection.execute(
            "CREATE FUNCTION remove() RETURNS int LANGUAGE sql AS 'DELETE FROM kept RETURNING 1';"
            "CREATE VIEW trap AS SELECT *, remove() AS gone FROM kept WHERE remove() = 1"
        )
        with pytest.raises(Unreachable, match="read-only transaction"):
            PostgresSource(url, "trap").census(panel(), WINDOW)
        assert connection.execute("SELECT COUNT(*) FROM kept").fetchone() == (1,)

    def test_a_database_of_another_encoding_is_refused(self, own):
        url, connection = own
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        latin = url.rpartition("/test_")[0] + "/latin?" + url.partition("?")[2]
        write_postgres(latin, "rows", table("a"))
        with pytest.raises(InputRefused, match="does not keep text as UTF-8"):
            PostgresSource(latin, "rows").census(panel(), WINDOW)

    def test_nobody_there_is_told_without_the_password(self, tmp_path):
        with pytest.raises(Unreachable) as caught:
            PostgresSource(f"postgresql://u:secret@/d?host={tmp_path}", "rows").describe(panel())
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("url", ["mysql://u:secret@h/d", "nonsense secret"])
    def test_another_address_is_refused_without_showing_it(self, url):
        with pytest.raises(ConfigError) as caught:
            PostgresSource(url, "rows")
        assert "secret" not in str(caught.value)


def test_the_version_is_the_snapshot_that_was_read(own):
    url, connection = own
    source = PostgresSource(url, write_postgres(url, "seen", table("a")))
    first = source.census(panel(), WINDOW).source_version
    connection.execute("UPDATE seen SET score = 0.5")
    second = source.census(panel(), WINDOW).source_version
    assert first["table"] == second["table"] == "seen"
    assert first["snapshot"] != second["snapshot"]
    with psycopg.connect(url) as other:
        assert first["database"].startswith(f"{other.info.dbname} of PostgreSQL ")
        assert first["server"] == f"{other.info.host}:{other.info.port}"


def test_census_and_candidates_read_one_snapshot_whatever_is_written_meanwhile(own):
    url, connection = own
    name = write_postgres(url, "rows", table("a", "b"))
    with PostgresSource(url, name).reading(panel(), WINDOW) as reader:
        assert reader.census().census.size == 2
        connection.execute(
            f"INSERT INTO {name} (id, ts, score, flag) SELECT 'new', ts, score, flag FROM {name} LIMIT 1"
        )
        found = reader.candidates([Atom("0", NO_BIN, 1023, 2, None)], [3])
    assert sorted(one.item for one in found) == ["a", "b"]
    assert PostgresSource(url, name).census(panel(), WINDOW).census.size == 3
