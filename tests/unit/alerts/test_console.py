"""Alerts on the terminal."""

import io
import re

import pytest

from stratawatch.adapters.alerts.console import WIDTH, ConsoleChannel
from stratawatch.errors import Unreachable
from tests.support.notices import notice

LONG = "the precision of the classifier " * 20


def shown(notification, stream=None):
    stream = stream or io.StringIO()
    ConsoleChannel(stream=stream).send(notification)
    return stream.getvalue()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_no_line_is_wider_than_sixty_columns():
    text = shown(notice(subject=LONG, body=LONG + "\n" + "x" * 200))
    assert max(map(len, text.splitlines())) == WIDTH == 60


def test_the_severity_stands_first_as_a_word_and_the_time_carries_its_offset():
    lines = shown(notice(severity="resolved")).splitlines()
    assert lines[1].split(maxsplit=1) == ["RESOLVED", "2026-02-23 03:00 +00:00"]


def test_lines_of_the_body_stay_lines():
    assert "\nLook: stratawatch report\n" in shown(notice())


def test_colour_only_on_a_terminal_and_never_instead_of_the_word():
    assert "\033" not in shown(notice())
    coloured = shown(notice(), Terminal())
    assert "\033[1;31mPAGE\033[0m" in coloured
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == shown(notice())


def test_names_from_data_cannot_repaint_the_terminal():
    text = shown(notice(subject="\033[2Jgone\r\x07\u202e", body="\033]0;title\x07"))
    assert not re.search("[\033\r\x07\u202e]", text)


def test_a_terminal_that_knows_only_ascii_is_told_all_the_same():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    ConsoleChannel(stream=stream).send(notice(subject="naïve \U0001f642"))
    assert b"na?ve ?" in raw.getvalue()


def test_it_writes_to_the_standard_error_of_the_moment(capsys):
    ConsoleChannel().send(notice())
    captured = capsys.readouterr()
    assert "PAGE" in captured.err
    assert captured.out == ""


def test_a_closed_terminal_is_unreachable_and_the_notification_may_be_sent_again():
    stream = io.StringIO()
    channel = ConsoleChannel(stream=stream)
    stream.close()
    for _ in range(2):
        with pytest.raises(Unreachable, match="console"):
            channel.send(notice())


def test_a_report_is_called_one():
    lines = shown(notice(severity="update", facts={"panel": "spam", "update": "report"})).splitlines()
    assert lines[1].split(maxsplit=1)[0] == "REPORT"
