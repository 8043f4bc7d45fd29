"""The quick reading of the store's address gives what the full one gives, or leaves it to it."""

from pathlib import Path

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.store_address import read_store_address


class TestAgreement:
    @pytest.mark.parametrize(
        ("store", "environment"),
        [
            ('url = "sqlite:///stratawatch.db"', {}),
            ('url = "sqlite:///deep/er.db"', {}),
            ("", {}),
            ('url = "postgresql://watch@db/x"\npassword = "${env:PW}"', {"PW": "a b"}),
            ('url = "${env:SW_URL}"', {"SW_URL": "postgresql://watch:x@db/x"}),
            ('url = "${env:SW_URL}"', {"SW_URL": "postgresql://watch@db/x?password=y"}),
            ('url = "sqlite:///a.db"', {"STRATAWATCH_STORE__URL": "sqlite:///b.db"}),
            ('url = "postgresql://w@db/x"', {"STRATAWATCH_STORE__PASSWORD": "plain"}),
        ],
    )
    def test_both_readings_give_the_same_address(self, write, monkeypatch, store, environment):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        path = write(('url = "sqlite:///stratawatch.db"', store))
        assert read_store_address(path) == load_configuration(path).store_url().get_secret_value()


class TestLeavingIt:
    @pytest.mark.parametrize(
        "store",
        [
            "url = 3",
            'url = "mysql://x/y"',
            'url = "postgresql://a:b@c/d"',
            'url = "postgresql://a@c/d?password=b"',
            'password = "plain"',
        ],
    )
    def test_what_the_full_reading_refuses_is_left_to_it(self, write, store):
        path = write(('url = "sqlite:///stratawatch.db"', store))
        assert read_store_address(path) is None

    def test_a_spelling_of_the_override_that_only_the_full_reading_knows_is_left_to_it(self, write, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_STORE", '{"url": "sqlite:///json.db"}')
        path = write()
        assert read_store_address(path) is None
        assert Path(load_configuration(path).store_url().get_secret_value()).name == "json.db"


class TestRobustness:
    def test_mistakes_elsewhere_in_the_file_do_not_matter(self, write, tmp_path):
        path = write(("budget = 120", "budget = -1"), ('metric = "precision"', 'metric = "x"'))
        assert read_store_address(path) == f"sqlite:///{tmp_path}/stratawatch.db"
