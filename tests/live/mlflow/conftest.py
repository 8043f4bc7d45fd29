"""MLflow itself, as a tracking server with a database of its own."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from tests.support.free_ports import free_port
from tests.support.programs import ROOT
from tests.unit.cli.conftest import judged, judged_folder

__all__ = ["judged", "judged_folder"]

PATIENCE = 120.0


class Tracking:
    """Where it is, and what it has."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        store = f"sqlite:///{folder / 'mlflow.db'}"
        program = [ROOT / ".venv-mlflow" / "bin" / "mlflow", "server", "--workers", "1", "--port", str(self.port)]
        place = ["--host", "127.0.0.1", "--backend-store-uri", store, "--artifacts-destination", str(folder)]
        with (folder / "mlflow.log").open("w") as log:
            self._server = subprocess.Popen(
                [*program, *place],
                cwd=folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
                start_new_session=True,
            )
        deadline = monotonic() + PATIENCE
        while not self._answers():
            assert monotonic() < deadline, (folder / "mlflow.log").read_text()
            assert self._server.poll() is None, (folder / "mlflow.log").read_text()
            sleep(0.2)

    def _answers(self) -> bool:
        """Whether it reads its database, which it makes only when somebody first asks for something in it."""
        try:
            asked = {"max_results": 1}
            return httpx.post(f"{self.url}/api/2.0/mlflow/experiments/search", json=asked, timeout=PATIENCE).is_success
        except httpx.HTTPError:
            return False

    def end(self) -> None:
        os.killpg(self._server.pid, 15)
        self._server.wait(30)

    def ask(self, path: str, **content: Any) -> Any:
        answer = httpx.post(f"{self.url}/api/2.0/mlflow{path}", json=content, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def runs(self, experiment: str = "stratawatch") -> list[dict[str, Any]]:
        """The runs of an experiment: tags and metrics as dictionaries."""
        found = httpx.get(
            f"{self.url}/api/2.0/mlflow/experiments/get-by-name", params={"experiment_name": experiment}, timeout=30
        )
        number = found.json()["experiment"]["experiment_id"]
        rows = self.ask("/runs/search", experiment_ids=[number], max_results=1000).get("runs", [])
        return [
            {
                **row["info"],
                "tags": {one["key"]: one["value"] for one in row["data"]["tags"]},
                "metrics": {one["key"]: one["value"] for one in row["data"].get("metrics", [])},
                "steps": {one["key"]: one["step"] for one in row["data"].get("metrics", [])},
            }
            for row in rows
        ]


@pytest.fixture(scope="module")
def tracking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tracking]:
    made = Tracking(tmp_path_factory.mktemp("mlflow"))
    yield made
    made.end()
