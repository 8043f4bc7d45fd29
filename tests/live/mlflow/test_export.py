"""`stratawatch export mlflow` against MLflow itself."""

import json

import httpx
import pytest

from stratawatch.adapters.mlflow_server import MlflowServer
from stratawatch.errors import Unreachable
from stratawatch.report.mlflow_runs import plain_names

STRANGE = "pays=é[1]"


@pytest.fixture
def exported(judged, tracking, request):
    """An installation that exports to an experiment of the test's own."""
    judged.configure(more=f'\n[mlflow]\nurl = "{tracking.url}"\nexperiment = "{request.node.name}"\n')
    return judged, request.node.name


def test_the_numbers_are_there_and_are_put_once(exported, tracking):
    home, experiment = exported
    assert home.json("export", "mlflow") == {"experiment": experiment, "put": 2, "were_there": 0}
    assert home.json("export", "mlflow") == {"experiment": experiment, "put": 0, "were_there": 2}
    runs = {run["tags"]["stratawatch.classifier"]: run for run in tracking.runs(experiment)}
    assert {run["status"] for run in runs.values()} == {"FINISHED"}
    for row in home.json("estimates", "spam", "--segments")["estimates"]:
        run = runs[row["classifier"]]
        name = f"{row['metric']}.{row['segment'].replace('=', '_')}" if row["segment"] else row["metric"]
        if row["value"] is None:
            assert name not in run["metrics"]
            assert name in run["tags"]["stratawatch.undefined"]
            continue
        told = [run["metrics"][f"{name}{end}"] for end in ("", ".low", ".high", ".labels")]
        assert told == pytest.approx([row["value"], row["low"], row["high"], row["labels_used"]])
        assert run["steps"][name] == row["period"]
    assert runs["lr"]["tags"]["stratawatch.window_start"] == "2026-01-05T00:00:00+00:00"
    assert "country=DE" in runs["lr"]["tags"]["stratawatch.names"]


def test_a_run_that_was_begun_and_not_finished_is_finished(exported, tracking, monkeypatch):
    home, experiment = exported
    answer = MlflowServer._answer

    def dies(self, method, path, **content):
        if path == "/runs/log-batch":
            raise Unreachable("it went away")
        return answer(self, method, path, **content)

    monkeypatch.setattr(MlflowServer, "_answer", dies)
    home.run("export", "mlflow", code=2)
    (begun,) = tracking.runs(experiment)
    assert (begun["status"], begun["metrics"]) == ("RUNNING", {})
    monkeypatch.setattr(MlflowServer, "_answer", answer)
    assert home.json("export", "mlflow")["put"] == 2
    runs = tracking.runs(experiment)
    assert len(runs) == 2
    assert all(run["status"] == "FINISHED" and run["metrics"] for run in runs)


def test_a_late_label_makes_a_run_of_its_own(exported, tracking):
    home, experiment = exported
    home.run("export", "mlflow")
    said = next(path for path in (home.folder / "queue").rglob("*.jsonl") if '"value"' in path.read_text())
    label = json.loads(said.read_text().splitlines()[0])
    label |= {"value": "no" if label["value"] == "yes" else "yes", "at": "2026-01-12T11:00:00+00:00"}
    (home.folder / "queue" / "in" / "late.jsonl").write_text(json.dumps(label) + "\n")
    home.run("advance", "--now", "2026-01-12T12:00:00+00:00")
    assert home.json("export", "mlflow") == {"experiment": experiment, "put": 2, "were_there": 0}
    assert sorted(run["tags"]["stratawatch.revision"] for run in tracking.runs(experiment)) == ["1", "1", "2", "2"]


def test_a_server_that_is_no_mlflow_is_said(judged, tracking):
    judged.configure(more=f'\n[mlflow]\nurl = "{tracking.url}/nothing"\n')
    assert "MLflow" in judged.run("export", "mlflow", code=2).stderr


def test_names_that_mlflow_refuses_are_told_in_those_it_takes(tracking):
    """What it would say of the names as they are, so that the rule is not ours alone."""
    run = tracking.ask("/experiments/create", name="names")["experiment_id"]
    made = tracking.ask("/runs/create", experiment_id=run)["run"]["info"]["run_id"]
    body = {"run_id": made, "metrics": [{"key": f"precision.{STRANGE}", "value": 1.0, "timestamp": 1, "step": 0}]}
    refused = httpx.post(f"{tracking.url}/api/2.0/mlflow/runs/log-batch", json=body, timeout=30)
    assert refused.status_code == 400
    body["metrics"][0]["key"] = plain_names([f"precision.{STRANGE}"])[f"precision.{STRANGE}"]
    assert httpx.post(f"{tracking.url}/api/2.0/mlflow/runs/log-batch", json=body, timeout=30).status_code == 200
