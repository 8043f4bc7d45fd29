"""A real Prometheus reads the numbers, its own tool has nothing against them, and our rules and dashboard work on them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.live.prometheus.conftest import OURS, TOKEN

DASHBOARD = json.loads((OURS / "grafana.json").read_text())
EXPRESSIONS = [(panel["title"], target["expr"]) for panel in DASHBOARD["panels"] for target in panel["targets"]]


def estimates(scraped):
    with scraped.home.wired(scraped.home.after(1, hours=13)).ports.store.begin() as tx:
        ((_, revision),) = tx.estimates.history("spam", newest=1)
    return {(one.classifier, one.metric): one for one in revision.estimates if one.segment is None}


class TestNumbers:
    def test_are_what_the_store_says(self, scraped):
        scraped.wait_for(lambda: scraped.target().get("health") == "up")
        known = estimates(scraped)
        for series, end in (
            ("estimate_ratio", "value"),
            ("estimate_low_ratio", "low"),
            ("estimate_high_ratio", "high"),
        ):
            found = {(one["classifier"], one["metric"]): value for one, value in scraped.query(f"stratawatch_{series}")}
            assert found == {key: getattr(one.result, end) for key, one in known.items()}
        assert len(known) == 9

    def test_pass_the_tool_of_prometheus(self, scraped):
        text = httpx.get(
            f"http://127.0.0.1:{scraped.web_port}/metrics",
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=10,
            trust_env=False,
        ).raise_for_status()
        done = subprocess.run(["promtool", "check", "metrics"], input=text.content, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")

    def test_have_a_meaning_each(self, scraped):
        scraped.wait_for(lambda: scraped.target().get("health") == "up")
        about = scraped.ask("metadata")
        ours = {name: several for name, several in about.items() if name.startswith("stratawatch_")}
        assert len(ours) > 20
        assert all(one["help"] and one["type"] == "gauge" for several in ours.values() for one in several)
        page = (OURS.parents[1] / "docs" / "questions" / "prometheus.md").read_text()
        documented = {
            f"stratawatch_{name}"
            for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
            for name in re.findall(r"`(\w+)`", row)
        }
        assert set(ours) == documented

    def test_no_token_is_in_a_log(self, scraped):
        scraped.wait_for(lambda: scraped.target().get("health") == "up")
        assert TOKEN not in scraped.log()


def test_another_token_is_told_nothing(stranger):
    stranger.wait_for(lambda: stranger.target().get("health") == "down")
    assert "401" in stranger.target()["lastError"]
    assert stranger.query("stratawatch_build_info") == []


class TestRules:
    def test_pass_the_tool_of_prometheus(self):
        done = subprocess.run(["promtool", "check", "rules", OURS / "rules.yml"], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    def test_say_what_they_should_of_series(self, tmp_path):
        """Among them: a shadow's breach wakes nobody."""
        shutil.copy(OURS / "rules.yml", tmp_path)
        shutil.copy(Path(__file__).with_name("rules_tests.yml"), tmp_path)
        command = ["promtool", "test", "rules", "rules_tests.yml"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_a_breach_fires_with_the_names_of_what_broke(self, scraped):
        def firing():
            return [one for one in scraped.ask("alerts")["alerts"] if one["labels"]["alertname"] == "StratawatchBreach"]

        scraped.wait_for(firing)
        (alert,) = firing()
        assert alert["state"] == "firing"
        assert {"classifier": "lr", "metric": "precision", "panel": "spam", "severity": "page"}.items() <= alert[
            "labels"
        ].items()
        assert alert["annotations"]["summary"] == "precision of lr (spam) is proven outside its limit"

    def test_that_watch_the_work_are_quiet_while_it_goes_on(self, scraped):
        scraped.wait_for(lambda: scraped.target().get("health") == "up")
        rules = scraped.ask("rules")["groups"][0]["rules"]
        assert {one["name"]: one["health"] for one in rules} == {one["name"]: "ok" for one in rules}
        quiet = {"StratawatchAway", "StratawatchAdvanceLate", "StratawatchNotificationsStuck", "StratawatchLabelsLate"}
        assert quiet < {one["name"] for one in rules}
        assert {one["state"] for one in rules if one["name"] in quiet} == {"inactive"}


@pytest.mark.parametrize(("title", "expression"), EXPRESSIONS)
def test_every_query_of_the_dashboard_finds_something(scraped, title, expression):
    scraped.wait_for(lambda: scraped.query("stratawatch_estimate_ratio"))
    for name in ("panel", "classifier", "metric"):
        expression = expression.replace(f"${name}", ".+")
    found = scraped.query(expression)
    assert found, f"{title} shows nothing"


def test_the_dashboard_asks_for_nothing_that_is_not_there():
    names = set(re.findall(r"stratawatch_\w+", Path(OURS / "grafana.json").read_text()))
    page = (OURS.parents[1] / "docs" / "questions" / "prometheus.md").read_text()
    assert {name for name in names if f"`{name.removeprefix('stratawatch_')}`" not in page} == set()
