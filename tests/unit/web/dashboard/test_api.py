"""The API: it answers what its description says, and the numbers of the command line."""

import json

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from stratawatch.web.dashboard.openapi import DESCRIPTION


def asked(dashboard, path):
    answer = dashboard.program("viewer").get(f"/dashboard/api{path}")
    assert answer.headers["content-type"] == "application/json"
    return answer


def fits(template, status, answer):
    """Whether an answer is as the description has it."""
    described = DESCRIPTION["paths"][template]["get"]["responses"][str(status)]["content"]["application/json"]["schema"]
    schema = {**described, "components": DESCRIPTION["components"]}
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(answer)
    return True


@pytest.mark.parametrize("template", list(DESCRIPTION["paths"]))
def test_answers_fit_their_description(dashboard, template):
    number = str(dashboard.incident())
    answer = asked(dashboard, template.replace("{number}", number))
    assert answer.status_code == 200
    assert fits(template, 200, answer.json())
    stranger = dashboard.stranger().get(f"/dashboard/api{template.replace('{number}', number)}")
    assert stranger.headers["www-authenticate"] == "Bearer"
    assert fits(template, 401, stranger.json())


def test_estimates_are_those_of_the_command(dashboard):
    found = asked(dashboard, "/estimates?panel=spam&classifier=lr").json()["estimates"]
    known = [row for row in dashboard.home.json("estimates", "spam")["estimates"] if row["classifier"] == "lr"]
    assert {
        (row["metric"], row["segment"], row["value"], row["low"], row["high"])
        for row in found
        if row["segment"] is None
    } == {(row["metric"], row["segment"], row["value"], row["low"], row["high"]) for row in known}
    for query in ("panel=none", "classifier=none"):
        answer = asked(dashboard, f"/estimates?{query}")
        assert answer.status_code == 404
        assert fits("/estimates", 404, answer.json())


def test_incidents_are_those_of_the_command(dashboard):
    found = asked(dashboard, "/incidents").json()["incidents"]
    known = dashboard.home.json("alerts", "list")["incidents"]
    assert {(row["id"], row["kind"], row["metric"]) for row in found} == {
        (row["id"], row["kind"], row["metric"]) for row in known
    }
    number = dashboard.incident()
    shown = asked(dashboard, f"/incidents/{number}").json()
    history = dashboard.home.json("alerts", "show", str(number))["history"]
    assert [(one["what"], one["text"]) for one in shown["history"]] == [(one["what"], one["text"]) for one in history]


@pytest.mark.parametrize(
    "path",
    [
        "/incidents/99",
        "/incidents/" + "9" * 5000,
        "/none",
        "/incidents/x",
        "/",
        "/incidents/1%0A",
        "/incidents/%0A1",
        "/incidents/%F0%9F%98%80%18%0A%C2%A0",
        "/panels%0A",
        "/%0D%0A",
        "/incidents/%E2%80%A8",
    ],
)
def test_what_is_not_there_is_404_in_json(dashboard, path):
    answer = asked(dashboard, path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


def test_it_is_only_read(dashboard):
    for path in ("/panels", "/incidents/1"):
        answer = dashboard.program("admin").post(f"/dashboard/api{path}", json={})
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_the_description_is_served_and_is_json(dashboard):
    assert asked(dashboard, "/openapi.json").json() == json.loads(json.dumps(DESCRIPTION))


def test_a_store_that_is_away_is_503_without_a_reason(dashboard):
    program = dashboard.program("viewer")
    (dashboard.home.folder / "stratawatch.db").unlink()
    for template in DESCRIPTION["paths"]:
        answer = program.get(f"/dashboard/api{template.replace('{number}', '1')}")
        assert answer.status_code == 503
        assert fits(template, 503, answer.json())
        assert str(dashboard.home.folder) not in answer.text
