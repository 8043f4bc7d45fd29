"""What disagreement implies, where nobody asked for it: in `estimates` and the report of a panel with several votes."""

import json
import shutil
from hashlib import sha256
from html import unescape

import pytest

from tests.unit.cli.conftest import NOW, Installation

LATER = "2026-01-12T10:00:00+00:00"
WRONG = 0.15
"""The share of items that each further annotator labels otherwise than the first, independently."""


def with_votes(judged_folder, folder, wrong):
    """The judged installation, whose panel now asks for three votes; bob and cem labelled the same items."""
    home = Installation(folder / "home")
    shutil.copytree(judged_folder, home.folder)
    home.configure(("budget = 60", "budget = 60\nvotes = 3"))
    turned = {"yes": "no", "no": "yes"}
    lines = []
    for one in home.json("labels", "export")["labels"]:
        for name in ("bob", "cem"):
            errs = sha256(f"{name} {one['item']}".encode()).digest()[0] < 256 * wrong
            value = turned[one["value"]] if errs else one["value"]
            lines.append(json.dumps({"item": one["item"], "value": value, "annotator": name}) + "\n")
    file = home.folder / "others.jsonl"
    file.write_text("".join(lines))
    home.run("labels", "import", str(file))
    home.run("open", "--now", LATER)
    return home


@pytest.fixture(scope="module")
def differing(judged_folder, tmp_path_factory):
    return with_votes(judged_folder, tmp_path_factory.mktemp("differing"), WRONG)


def test_estimates_say_how_far_off_they_are(differing):
    (found,) = differing.json("estimates")["disagreement"]
    (whole,) = differing.json("labels", "agreement")["panels"]
    assert found["items"] == whole["items"] == 60
    assert 0.1 < found["differing"] / 60 < 0.5  # 1 - .85^2 = .28
    far = [one for one in whole["implied"] if abs(one["implied"] - one["value"]) > 0.01]
    assert found["shifted"] == [one for one in far if one["metric"] in ("precision", "recall")] != []
    worst = max(found["shifted"], key=lambda one: abs(one["implied"] - one["value"]))
    shift = 100 * (worst["implied"] - worst["value"])
    text = " ".join(differing.run("estimates").stdout.split())
    assert f"spam: Annotators disagree on {found['differing'] / 60:.0%} of 60 items with several answers" in text
    where = "low" if shift > 0 else "high"
    assert f"{worst['metric']} of {worst['classifier']} is about {abs(shift):.2g} points too {where}" in text


@pytest.mark.parametrize("columns", [40, 100])
def test_it_fits_the_terminal(differing, columns):
    differing.columns = columns
    for command in (["estimates"], ["labels", "agreement"]):
        assert max(map(len, differing.run(*command).stdout.splitlines())) <= columns, command


def test_the_report_says_so_too(differing):
    differing.run("report", "--now", LATER)
    page = next((differing.folder / "reports").rglob("latest.html")).read_text()
    section = unescape(page.split("<h2>Errors of labels</h2>")[1].split("</section>")[0])
    assert differing.json("estimates")["disagreement"][0]["sentence"] in section
    assert "<table" not in section


def test_nothing_is_said_where_annotators_agree(judged_folder, tmp_path):
    home = with_votes(judged_folder, tmp_path, 0)
    assert home.json("labels", "agreement")["panels"][0]["items"] == 60
    assert home.json("estimates")["disagreement"] == []


def test_nothing_is_said_of_single_votes(judged):
    assert judged.json("estimates")["disagreement"] == []
    assert "disagree" not in judged.run("estimates").stdout
    judged.run("report", "--now", NOW)
    assert "<h2>Errors of labels</h2>" not in next((judged.folder / "reports").rglob("latest.html")).read_text()
