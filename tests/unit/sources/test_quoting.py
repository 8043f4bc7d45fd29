import duckdb
import pytest

from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.errors import ConfigError

NASTY = ['a"b', 'a"; DROP TABLE t; --', "a'b", "a b", "select", "ä🙂", "a\nb", "${named}", "$1", "\\", '""']


class TestQuoting:
    @pytest.mark.parametrize("name", NASTY)
    def test_a_name_is_only_ever_a_name(self, name):
        with duckdb.connect(":memory:", config={"autoinstall_known_extensions": False}) as connection:
            found = connection.execute(f"SELECT {identifier(name)} FROM (SELECT 7 AS {identifier(name)})")
            assert found.fetchall() == [(7,)]

    @pytest.mark.parametrize("value", NASTY)
    def test_a_text_is_only_ever_a_text(self, value):
        with duckdb.connect(":memory:", config={"autoinstall_known_extensions": False}) as connection:
            assert connection.execute(f"SELECT {text(value)}").fetchall() == [(value,)]

    @pytest.mark.parametrize("name", ["", "a\x00b"])
    def test_what_cannot_be_a_name_is_refused(self, name):
        with pytest.raises(ConfigError, match="cannot be a column's name"):
            identifier(name)
