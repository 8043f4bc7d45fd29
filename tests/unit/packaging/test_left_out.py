"""What neither an image nor a commit may hold."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLE = "deployments/stratawatch.env.example"

SECRET = [".env", "ops.env", "deployments/stratawatch.env", "deployments/.env"]
STATE = [
    ".git/config",
    ".venv/bin/python",
    ".prefect/prefect.db",
    "data/stratawatch.toml",
    "data/queue/in/ann.jsonl",
    "demo-out/report.html",
    "site/index.html",
    "stratawatch.toml",
    "stratawatch.db",
    "stratawatch.db-wal",
    "sub/folder/other.db",
    "predictions/week.parquet",
    "secrets/token",
    "tls/server.key",
]
PROGRAM = [
    EXAMPLE,
    "README.md",
    "pyproject.toml",
    "requirements.lock",
    "stratawatch/py.typed",
    "stratawatch/config/template.toml",
    "stratawatch/adapters/queues/folder.py",
    "stratawatch/report/page.py",
    "sql/migrations/env.py",
    "flows/serve.py",
    "tasks/environment.py",
]


def pattern(line: str) -> re.Pattern[str]:
    """A line of .dockerignore: ** is any number of folders, * stays within a name, and what is below goes too."""
    line = line.removesuffix("/")
    parts = re.split(r"(\*\*/|\*|\?|\[[^]]*\])", line)
    words = {"**/": "(.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(words.get(p) or (p if p.startswith("[") else re.escape(p)) for p in parts) + "(/.*)?")


def left_out_of_the_image(path: str) -> bool:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return any(pattern(line).fullmatch(path) for line in lines if line and not line.startswith("#"))


class TestImage:
    def test_it_is_built_from_the_folder_that_the_list_stands_in(self):
        first = (ROOT / "deployments/Dockerfile").read_text(encoding="utf-8").splitlines()[0]
        assert first == "# docker build -f deployments/Dockerfile -t stratawatch ."

    @pytest.mark.parametrize("path", [*SECRET, *STATE])
    def test_secrets_data_and_state_stay_out(self, path):
        assert left_out_of_the_image(path)

    @pytest.mark.parametrize("path", PROGRAM)
    def test_the_program_goes_in(self, path):
        assert (ROOT / path).exists()
        assert not left_out_of_the_image(path)


class TestCommits:
    @pytest.fixture
    def ignored(self, tmp_path):
        """Whether git leaves a path out, by our list alone."""
        shutil.copy(ROOT / ".gitignore", tmp_path)
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        return lambda path: subprocess.run(["git", "-C", tmp_path, "check-ignore", "-q", path], check=False).returncode

    @pytest.mark.parametrize("path", SECRET)
    def test_files_of_secrets_stay_out(self, ignored, path):
        assert ignored(path) == 0

    def test_the_example_of_such_a_file_is_kept(self, ignored):
        assert (ROOT / EXAMPLE).exists()
        assert ignored(EXAMPLE) == 1
