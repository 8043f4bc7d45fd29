"""An MLflow tracking server, by its REST API 2.0."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import SecretStr

from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.engine.model.mlflow_run import KEY, PANEL, MlflowRun
from stratawatch.errors import StratawatchError, Unreachable

API: Final = "/api/2.0/mlflow"
FINISHED: Final = "FINISHED"
MOST_METRICS: Final = 500
"""Metrics of one request; MLflow takes a thousand."""
_MOST_BYTES: Final = 20_000_000
_PAGE: Final = 1000


class MlflowServer:
    """Puts runs there that are not there yet. A run that was begun and not finished is finished."""

    def __init__(self, url: str, token: SecretStr | None = None, timeout: float = 30.0) -> None:
        headers = {} if token is None else {"Authorization": SecretStr(f"Bearer {token.get_secret_value()}")}
        self._address = SecretAddress("MLflow", SecretStr(url), headers, timeout)

    def experiment(self, name: str) -> str:
        """The id of an experiment, which is made where there is none of this name."""
        found = self._ask("GET", "/experiments/get-by-name", params={"experiment_name": name}, missing_ok=True)
        if found is None:
            return str(self._answer("POST", "/experiments/create", json={"name": name})["experiment_id"])
        experiment = found["experiment"]
        if experiment.get("lifecycle_stage") == "deleted":
            hint = "restore it there, or name another one below [mlflow]"
            raise StratawatchError(f"the experiment '{name}' of MLflow is deleted", hint=hint)
        return str(experiment["experiment_id"])

    def known(self, experiment: str, panel: str) -> dict[str, tuple[str, str]]:
        """Id and status of the runs of a panel that are there, by key; of several the finished one."""
        found: dict[str, tuple[str, str]] = {}
        for run in self._runs(experiment, panel):
            tags = {tag["key"]: tag["value"] for tag in run["data"].get("tags", ())}
            key, info = tags.get(KEY, ""), run["info"]
            if found.get(key, ("", ""))[1] != FINISHED:
                found[key] = (str(info["run_id"]), str(info["status"]))
        return found

    def put(self, experiment: str, run: MlflowRun, begun: str | None = None) -> None:
        """Write a run, in three steps of which the last says that it is whole; `begun` is the id of one to finish."""
        if begun is None:
            made = self._answer(
                "POST",
                "/runs/create",
                json={
                    "experiment_id": experiment,
                    "run_name": run.name,
                    "start_time": _milliseconds(run.began),
                    "tags": [{"key": key, "value": value} for key, value in run.tags.items()],
                },
            )
            begun = str(made["run"]["info"]["run_id"])
        metrics = [
            {"key": one.name, "value": one.value, "timestamp": _milliseconds(one.at), "step": one.step}
            for one in run.metrics
        ]
        for part in _parts(metrics):
            self._answer("POST", "/runs/log-batch", json={"run_id": begun, "metrics": part})
        ended = {"run_id": begun, "status": FINISHED, "end_time": _milliseconds(run.ended)}
        self._answer("POST", "/runs/update", json=ended)

    def _runs(self, experiment: str, panel: str) -> Iterator[Mapping[str, Any]]:
        quoted = panel.replace("\\", "\\\\").replace("'", "\\'")
        asked: dict[str, Any] = {
            "experiment_ids": [experiment],
            "filter": f"tags.`{PANEL}` = '{quoted}'",
            "max_results": _PAGE,
        }
        while True:
            found = self._answer("POST", "/runs/search", json=asked)
            yield from found.get("runs", ())
            if not found.get("next_page_token"):
                return
            asked = {**asked, "page_token": found["next_page_token"]}

    def _answer(self, method: str, path: str, **content: Any) -> Mapping[str, Any]:
        found = self._ask(method, path, **content)
        assert found is not None  # noqa: S101 - only what may be missing is None
        return found

    def _ask(self, method: str, path: str, *, missing_ok: bool = False, **content: Any) -> Mapping[str, Any] | None:
        status, body = self._address.exchange(method, API + path, {}, content, _MOST_BYTES)
        try:
            found = json.loads(body) if body else {}
        except ValueError:
            found = None
        if not isinstance(found, dict):
            hint = "see that [mlflow] url is that of a tracking server"
            raise Unreachable("what answers is no MLflow", got=f"HTTP {status} without JSON", hint=hint)
        if status == 404 and missing_ok and found.get("error_code") == "RESOURCE_DOES_NOT_EXIST":
            return None
        if status >= 400:
            said = f"{found.get('error_code', '')} {str(found.get('message', ''))[:200]}".strip()
            hint = "see `token` below [mlflow]" if status in (401, 403) else ""
            raise StratawatchError(f"MLflow refused {path}", got=f"HTTP {status} {said}".strip(), hint=hint)
        return found


def _parts(metrics: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    for first in range(0, len(metrics), MOST_METRICS):
        yield metrics[first : first + MOST_METRICS]


def _milliseconds(at: datetime) -> int:
    return round(at.timestamp() * 1000)
