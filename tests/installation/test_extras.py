"""What every extra is enough for, and the one sentence where an extra is missing."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from stratawatch.extras import EXTRAS, MissingExtra, explained, is_installed, require
from tests.support.configurations import PANEL, changed
from tests.support.fresh_environments import PROJECT, ROOT, closure, direct, environment, run

CLIENTS = {
    "great-expectations": "great_expectations",
    "grpcio": "grpc",
    "prometheus-client": "prometheus_client",
    "pydantic-settings": "pydantic_settings",
    "scikit-learn": "sklearn",
    "fastapi": None,  # Prefect's own, here for its ceiling
}
CARD = ("prefect", "numpy", "pandas", "sqlalchemy", "scikit-learn", "great-expectations", "pytest")
CONFIG = '[store]\nurl = "sqlite:///watch.db"\n\n' + changed(
    PANEL,
    ("budget = 120", "budget = 60"),
    ("predictions/*.parquet", "rows.csv"),
    ('segments = ["country"]\n', ""),
    ('score = "score_lr"\ncall = "pred_lr"', 'score = "lr"\ncut_off = 0.5'),
)
PLAYED = """
import json, pathlib
from stratawatch.cli.app import app

def cli(*arguments):
    try:
        app(arguments)
    except SystemExit as ended:
        assert not ended.code, arguments

def answer():
    for batch in pathlib.Path("queue/out").glob("*.jsonl"):
        keys = [line["key"] for line in map(json.loads, batch.open()) if "key" in line]
        said = [json.dumps({"key": key, "value": "no", "annotator": "kim"}) for key in keys]
        (pathlib.Path("queue/in") / batch.name).write_text("".join(f"{line}\\n" for line in said))

now = ("--now", "2026-01-12T06:00:00+00:00")
cli("init")
cli("check", *now)
cli("open", *now)
for _ in range(3):
    cli("advance", *now)
    answer()
cli("estimates")
"""
BLOCKS = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return environment(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory) -> Path:
    return environment(tmp_path_factory.mktemp("pipeline"), "pipeline")


@pytest.fixture
def installation(tmp_path) -> Path:
    """A configuration and a week of predictions."""
    (tmp_path / "stratawatch.toml").write_text(CONFIG)
    rows = [f"i{i},2026-01-{5 + i % 7:02}T00:00:00Z,text {i},{(i * 7919) % 2003 / 2003:.6f}\n" for i in range(2000)]
    (tmp_path / "rows.csv").write_text("id,at,text,lr\n" + "".join(rows))
    return tmp_path


class TestTable:
    def test_it_names_what_pyproject_installs(self):
        for extra, modules in EXTRAS.items():
            lines = [Requirement(line).name for line in PROJECT["optional-dependencies"][extra]]
            own = [CLIENTS.get(name, name) for name in lines if name != "stratawatch"]
            assert tuple(name for name in own if name) == modules

    def test_all_is_every_extra(self):
        assert {one.name for one in direct(["all"])} == {one.name for one in direct(EXTRAS)}
        assert set(PROJECT["optional-dependencies"]) == {*EXTRAS, "all"}

    @pytest.mark.parametrize("name", CARD)
    def test_no_package_of_the_card_is_lost(self, name):
        assert re.search(rf'^.*"{name}[\[>=]', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)


class TestSentence:
    def test_a_package_that_is_there_is_not_asked_for(self):
        for extra in EXTRAS:
            require(extra)
            assert is_installed(extra)

    @pytest.mark.parametrize("extra", sorted(EXTRAS))
    def test_a_missing_one_is_named_with_the_command(self, monkeypatch, extra):
        monkeypatch.setitem(sys.modules, EXTRAS[extra][0], None)
        with pytest.raises(MissingExtra, match=rf"^{EXTRAS[extra][0]} is not installed; run: pip install 'stratawatch"):
            require(extra)
        assert not is_installed(extra)

    def test_a_failed_import_is_told_by_the_extra_that_brings_it(self):
        error = ModuleNotFoundError("No module named 'matplotlib.figure'", name="matplotlib.figure")
        assert str(explained(error)) == "matplotlib is not installed; run: pip install 'stratawatch[report]'"

    @pytest.mark.parametrize("name", ["stratawatch.nowhere", "yaml", None])
    def test_any_other_failed_import_stays_what_it_is(self, name):
        with pytest.raises(ModuleNotFoundError, match="No module"):
            explained(ModuleNotFoundError("No module", name=name))


class TestBaseInstall:
    def test_it_is_under_thirty_packages(self):
        assert len(closure()) < 30
        assert {"numpy", "scipy", "pandas", "typer"} < set(closure())

    def test_the_page_about_studies_runs_in_it(self, base, tmp_path):
        code = "\n".join(BLOCKS.findall((ROOT / "docs/study.md").read_text(encoding="utf-8")))
        done = run(base, "-W", "error", "-c", code, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "precision" in done.stdout

    @pytest.mark.parametrize("argument", ["--help", "--version"])
    def test_the_command_is_there(self, base, tmp_path, argument):
        done = run(base, "-m", "stratawatch.cli", argument, cwd=tmp_path)
        assert done.returncode == 0
        assert "stratawatch" in done.stdout

    @pytest.mark.parametrize("command", ["init", "status", "advance", "baseline list spam"])
    def test_a_command_says_what_to_install(self, base, installation, command):
        before = set(installation.iterdir())
        done = run(base, "-m", "stratawatch.cli", *command.split(), cwd=installation)
        assert done.returncode == 2
        assert done.stdout == ""
        assert re.fullmatch(
            r"stratawatch: sqlalchemy, .* are not installed; run: pip install 'stratawatch\[pipeline\]'\n", done.stderr
        )
        assert set(installation.iterdir()) == before

    def test_resampling_asks_for_scikit_learn(self, base, tmp_path):
        code = "from stratawatch.resampling import measure_baselines\nmeasure_baselines(None, [], [], seed=1)"
        done = run(base, "-c", code, cwd=tmp_path)
        assert done.stderr.endswith("sklearn is not installed; run: pip install 'stratawatch[baselines]'\n")


class TestPipeline:
    def test_it_is_enough_for_cron_from_predictions_to_estimates(self, pipeline, installation):
        done = run(pipeline, "-c", PLAYED, cwd=installation)
        assert (done.returncode, done.stderr) == (0, "")
        assert "the program's own, without pages: great_expectations is not installed" in done.stdout
        assert "settled -> judged" in done.stdout
        assert "lr" in done.stdout.partition("settled -> judged")[2]

    @pytest.mark.parametrize(
        ("command", "old", "new", "missing"),
        [
            ("report", "", "", "matplotlib, jinja2 are not installed; run: pip install 'stratawatch[report]'"),
            (
                "status",
                "sqlite:///watch.db",
                "postgresql://watch@db.example.org/watch",
                "psycopg is not installed; run: pip install 'stratawatch[postgres]'",
            ),
            (
                "check",
                'kind = "files"\npath = "rows.csv"',
                'kind = "spark"\ntable = "rows"',
                "pyspark is not installed; run: pip install 'stratawatch[spark]', and Java 17 or newer",
            ),
            (
                "check",
                "[panels.spam]",
                '[checks]\nfolder = "suites"\n\n[panels.spam]',
                "great_expectations is not installed; run: pip install 'stratawatch[checks]'",
            ),
        ],
        ids=["report", "postgres", "spark", "checks"],
    )
    def test_what_more_is_needed_is_one_sentence(
        self, pipeline, installation, migrated_sqlite, command, old, new, missing
    ):
        shutil.copy(migrated_sqlite, installation / "watch.db")
        (installation / "suites").mkdir()
        (installation / "suites" / "ours.json").write_text("{}")
        (installation / "stratawatch.toml").write_text(CONFIG.replace(old, new, 1))
        done = run(pipeline, "-m", "stratawatch.cli", command, cwd=installation)
        assert done.returncode in (1, 2)
        assert missing in done.stdout + done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize("module", ["flows.serve", "flows.up", "flows.demo"])
    def test_flows_ask_for_prefect(self, pipeline, module):
        done = run(pipeline, "-m", module, cwd=ROOT)
        assert done.returncode == 1
        assert done.stderr == "stratawatch: prefect is not installed; run: pip install 'stratawatch[prefect]'\n"

    @pytest.mark.parametrize("package", ["flows", "tasks"])
    def test_who_imports_flows_meets_a_stratawatch_error(self, pipeline, package):
        code = f"from stratawatch import StratawatchError\ntry:\n import {package}\nexcept StratawatchError as e:\n print(e)"
        done = run(pipeline, "-c", code, cwd=ROOT)
        assert done.stdout == "prefect is not installed; run: pip install 'stratawatch[prefect]'\n"
