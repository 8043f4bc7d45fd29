"""Schemathesis asks the API whatever its description allows, and more."""

import json
import subprocess

import httpx

from tests.support.moto_server import PYTHON
from tests.support.seed import random_seed
from tests.unit.web.dashboard.conftest import token_of


def test_schemathesis_finds_nothing(served, tmp_path):
    key = {"authorization": f"Bearer {token_of('viewer')}"}
    described = httpx.get(f"{served.address}/api/openapi.json", headers=key)
    (tmp_path / "openapi.json").write_text(json.dumps(described.json()), encoding="utf-8")
    options = [
        "--max-examples",
        "100",
        "--seed",
        str(random_seed("api")),
        "--no-color",
        "-H",
        f"Authorization: {key['authorization']}",
    ]
    done = subprocess.run(
        [PYTHON.parent / "schemathesis", "run", tmp_path / "openapi.json", "--url", f"{served.address}/api", *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout
    assert "Tested: 4" in done.stdout
