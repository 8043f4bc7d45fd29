"""A small week of the demo, with nothing in it faked: files in, flows on simulated time, answers through the folder."""

import json

import duckdb
import pytest
from rich.console import Console

from flows.demo_output import DemoOutput
from flows.demo_weeks import SimulatedProduction
from stratawatch.core.alarms.alarm_states import AlarmState

ITEMS = 6_000
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    return SimulatedProduction.build(tmp_path_factory.mktemp("demo"), seed=3, items=ITEMS)


@pytest.fixture(scope="module")
def weeks(production):
    return [production.run_week(number, lambda _now: None) for number in (1, 2)]


def answers(production) -> list[dict[str, str]]:
    files = sorted((production.config.parent / "queue" / "in").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


class TestRunWeek:
    def test_asks_for_900_labels_and_judges_every_limit(self, weeks):
        for week in weeks:
            assert week.labels.new == 900
            assert week.labels.used + week.labels.skipped == 900
            assert len(week.states) == 8
            assert AlarmState.BLIND not in week.states.values()

    def test_answers_come_through_the_folder_only(self, production, weeks):
        assert len(answers(production)) == len(weeks) * 900

    def test_the_annotator_says_the_truth(self, production, weeks):
        asked = {}
        queue = production.config.parent / "queue"
        for file in (*queue.glob("out/*.jsonl"), *queue.glob("done/*.jsonl")):
            tasks = [json.loads(line) for line in file.read_text().splitlines()]
            asked |= {task["key"]: task["payload"]["text"] for task in tasks if "key" in task}
        for line in answers(production):
            _, number, _, _, week = asked[line["key"]].split()
            truth = production.truth[int(week)][int(number)]
            assert line["value"] in ("skip", "yes" if truth else "no")

    def test_most_intervals_contain_the_truth(self, weeks):
        """24 intervals of 95% and more; five misses have a chance of about 1 in 200 even if all were independent."""
        overall = [one.contains_truth for week in weeks for one in week.comparisons if one.estimate.segment is None]
        assert len(overall) == 24
        assert sum(overall) >= 20

    def test_no_file_holds_the_truth(self, production, weeks):
        files = production.config.parent / "predictions" / "*.parquet"
        columns = duckdb.sql("DESCRIBE FROM read_parquet($files)", params={"files": str(files)}).fetchall()
        assert {name for name, *_ in columns} & {"truth", "scam", "label", "y"} == set()

    def test_writes_the_report(self, production, weeks):
        assert production.report is not None
        assert "precision" in production.report.read_text(encoding="utf-8")


class TestResult:
    def test_a_healthy_world_sends_no_page(self, production, weeks):
        result = production.result()
        assert result.pages == ()
        assert [week.number for week in result.weeks] == [1, 2]


def test_the_demo_ends_with_what_the_broken_classifier_got_wrong(production, weeks, capsys):
    output = DemoOutput(Console(width=120))
    output.print_mistakes(production.config)
    shown = capsys.readouterr().out
    assert "stratawatch mistakes scam --classifier logistic --side called" in shown
    assert "of week 02" in shown
    assert "no: ana" in shown
