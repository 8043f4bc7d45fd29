"""The record of numbers: it holds what a study says, and a difference of one bit is a difference."""

import json

import pytest

from benchmarks.record.__main__ import _plain, main, report
from benchmarks.record.compare import compare
from benchmarks.record.studies import Case, record

LIBRARIES = {"python": "3"}


def document(**case):
    return {"libraries": LIBRARIES, "cases": {"one": _plain(case)}}


@pytest.mark.parametrize("design", ["joint", "srs", "bennett"])
def test_a_case_holds_plan_draw_and_estimates_and_is_the_same_twice(design):
    case = Case("few", "few items", design=design)
    found = _plain(record(case))
    assert found["plan"]["labels"] > 0
    assert found["rounds"]
    assert found["estimates"]["c0, precision, all"]["value"].startswith("0x")
    assert _plain(record(case)) == json.loads(json.dumps(found))


def test_a_study_that_is_refused_is_a_case_too():
    assert record(Case("none", "few items", design="kumar", options={"strata": 900}))["refused"] == "PlanImpossible"


def test_whole_numbers_words_and_what_is_missing_must_be_the_same():
    found = compare({"a": [1, 2], "b": "x", "c": 1}, {"a": [1, 3], "b": "y", "d": 1})
    assert [line.split(":")[0] for line in found.unlike] == ["a / 1", "b", "c", "d"]
    assert len(compare({"a": [1]}, {"a": [1, 1]}).unlike) == 2  # the length, and the second
    assert compare({"a": (1.0).hex()}, {"a": None}).unlike


@pytest.mark.parametrize(
    ("after", "status", "exact"), [(0.5, 0, 0), (0.5 * (1 + 1e-12), 0, 1), (0.5 * (1 + 1e-7), 1, 1)]
)
def test_floats_may_differ_by_a_billionth_or_by_no_bit(after, status, exact, capsys):
    before, now = document(value=0.5, labels=3), document(value=after, labels=3)
    assert report(before, now, exact=False) == status
    assert report(before, now, exact=True) == exact
    assert "1 cases, 1 floats" in capsys.readouterr().out


def test_a_hair_beside_nothing_is_a_hair():
    assert compare({"a": (0.0).hex()}, {"a": (1e-15).hex()}).largest < 1e-11
    assert compare({"a": (0.0).hex()}, {"a": float("inf").hex()}).largest > 1


def test_it_wants_to_know_what_to_do(capsys):
    with pytest.raises(SystemExit):
        main([])
    assert "--out" in capsys.readouterr().err
