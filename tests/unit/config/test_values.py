"""Durations, cron expressions and paths: what is taken, and what is refused."""

from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from stratawatch.config.problems import nearest_or_all
from stratawatch.errors import ConfigError
from stratawatch.settings.confined_paths import confined
from stratawatch.settings.durations import parse_duration
from stratawatch.settings.shapes import Link, check_cron


class TestDurations:
    @pytest.mark.parametrize(
        ("text", "length"),
        [
            ("90m", timedelta(minutes=90)),
            ("2h", timedelta(hours=2)),
            ("3d", timedelta(days=3)),
            ("1w", timedelta(weeks=1)),
            ("1d12h", timedelta(hours=36)),
            ("1D 12H", timedelta(hours=36)),
            ("0h", timedelta(0)),
        ],
    )
    def test_people_write_them_like_this(self, text, length):
        assert parse_duration(text) == length

    @pytest.mark.parametrize("text", ["", "3", "d", "3 days", "-1d", "1.5h", 3, None, True, "999999999d", "9999d"])
    def test_anything_else_is_refused(self, text):
        with pytest.raises(ValueError, match=r"length of time|absurdly long"):
            parse_duration(text)


class TestCron:
    @pytest.mark.parametrize(
        "text", ["15 * * * *", "*/5 * * * *", "0 7 * * 1", "0 7 * * mon-fri", "0,30 8-18/2 1 jan *", "0 0 * * 7"]
    )
    def test_five_fields_in_their_ranges_are_taken(self, text):
        assert check_cron(text) == text

    @pytest.mark.parametrize(
        "text", ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
                 "5-1 * * * *", "@daily", "a * * * *", "* * * * * *", "1- * * * *"]
    )  # fmt: skip
    def test_anything_else_is_refused(self, text):
        with pytest.raises(ValueError, match="is no cron expression of five fields"):
            check_cron(text)

    @pytest.mark.parametrize("text", ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2,4 *"])
    def test_one_that_never_fires_is_refused(self, text):
        with pytest.raises(ValueError, match="is no cron expression"):
            check_cron(text)

    @pytest.mark.parametrize("text", ["0 0 29 2 *", "0 0 31 2,3 *", "0 0 31 2 mon"])
    def test_one_that_fires_now_and_then_is_taken(self, text):
        assert check_cron(text) == text


class TestConfinement:
    @pytest.mark.parametrize("text", ["a", "a/b.txt", "./a", "a/*.parquet", "a..b/c", "[x]/y"])
    def test_paths_below_the_folder_are_taken(self, tmp_path, text):
        assert confined(tmp_path, text) == tmp_path / text

    @pytest.mark.parametrize(
        "text", ["..", "../a", "a/../../b", "/etc/passwd", "a/*/../../../b", "*/../../x", "s3://x/y", "", " ", "a\0b"]
    )
    def test_paths_that_leave_it_are_refused(self, tmp_path, text):
        with pytest.raises(ConfigError):
            confined(tmp_path, text)

    def test_a_link_that_leaves_it_is_refused_even_before_a_pattern(self, tmp_path):
        (tmp_path / "out").symlink_to("/")
        with pytest.raises(ConfigError, match="leads out"):
            confined(tmp_path, "out/*.parquet")

    def test_a_link_that_stays_inside_is_taken(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        assert confined(tmp_path, "link/x") == tmp_path / "link" / "x"

    def test_a_folder_that_is_itself_behind_a_link_is_no_reason(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "home").symlink_to("real")
        assert confined(tmp_path / "home", "x") == tmp_path / "home" / "x"

    def test_outside_is_allowed_where_it_is_said(self, tmp_path):
        assert confined(tmp_path, "/data/x", allow_outside=True) == Path("/data/x")


class TestDidYouMean:
    def test_the_nearest_name_is_proposed(self):
        assert nearest_or_all("precison", ["precision", "recall"]) == "did you mean 'precision'?"

    def test_without_a_near_one_all_are_listed(self):
        assert nearest_or_all("xyz", ["b", "a"]) == "known are: a, b"


class TestLinks:
    @pytest.mark.parametrize(
        "text",
        ["https://wiki.example.org/spam", "http://10.0.0.7:8080/a_b~c?d=1&e=%20#f", "https://example.org/@team/page"],
    )
    def test_an_address_that_browsers_open_is_taken(self, text):
        assert TypeAdapter(Link).validate_python(text) == text

    @pytest.mark.parametrize(
        "text",
        ["", "wiki/spam", "file:///etc/passwd", "javascript:alert(1)", "https://a b", "https://a.org/\n", "https://a|b",
         "https://a.org/<script>", 'https://a.org/"', "https://a.org/" + "x" * 300, "https://", "https:///page", "https://<"]
    )  # fmt: skip
    def test_anything_else_is_refused(self, text):
        with pytest.raises(ValidationError, match="is no address such as"):
            TypeAdapter(Link).validate_python(text)

    @pytest.mark.parametrize("text", ["https://ann:pw@wiki.example.org/", "https://token@wiki.example.org/spam"])
    def test_a_login_in_it_is_refused_as_everybody_is_shown_it(self, text):
        with pytest.raises(ValidationError, match="holds a login"):
            TypeAdapter(Link).validate_python(text)
