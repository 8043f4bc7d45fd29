"""The command: both parts, one of them, and a quick run that decides nothing."""

import json

import pytest

from benchmarks.labels import __main__ as command
from benchmarks.shape import Result, Verdict

BROKEN = Verdict("labels", "must", 2, 1, "<=")


@pytest.fixture
def run(monkeypatch, tmp_path):
    parts = {name: lambda _, name=name: Result([{"part": name}], [BROKEN]) for name in ("weekly", "real")}
    monkeypatch.setattr(command, "_PARTS", parts)

    def run_command(*argv):
        status = command.labels([*argv, "--json", str(tmp_path / "labels.json")])
        return status, json.loads((tmp_path / "labels.json").read_text())

    return run_command


def test_both_parts_and_every_must_decides(run):
    status, shape = run()
    assert [row["part"] for row in shape["rows"]] == ["weekly", "real"]
    assert status == 1


def test_one_part_only(run):
    assert [row["part"] for row in run("--part", "real")[1]["rows"]] == ["real"]


def test_a_quick_run_shows_what_does_not_hold_and_decides_nothing(run):
    status, shape = run("--quick")
    assert status == 0
    assert [(verdict["kind"], verdict["holds"]) for verdict in shape["verdicts"]] == [("aim", False)] * 2
