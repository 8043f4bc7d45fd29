"""The README says of benchmarks what their kept runs found, and marks figures of older code."""

import json

import pytest

from benchmarks import figures
from benchmarks.figures import OLDER, README, Run, figures_file, is_old, kept_runs, marked, readme_rows, unfounded

ROWS = dict(readme_rows(README.read_text(encoding="utf-8")))
RUN = Run("python -m benchmarks.chaos", "c", "2026-11-22", 1, {}, "code", {"kills": 1234, "coverage": 0.9817})


def test_every_benchmark_of_the_readme_says_what_it_runs():
    assert set(ROWS) == set(figures.CODE)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_number_of_the_readme_was_found_by_a_kept_run(name):
    assert unfounded(ROWS[name], kept_runs(name)) == []


def test_figures_of_older_code_are_marked():
    """`python -m benchmarks.figures mark` puts the mark there; who has run it anew keeps that run's figures first."""
    assert [name for name, row in ROWS.items() if is_old(name) and OLDER not in row] == []


def test_runs_are_kept_with_what_they_were_made_on_and_without_names_of_machines():
    for run in (run for name in ROWS for run in kept_runs(name)):
        assert set(run.machine) <= {"cores", "memory_gb", "load"}
        assert run.commit
        assert run.date


class TestNumbers:
    def test_may_be_rounded_or_percentages(self):
        row = "| `python -m benchmarks.chaos --kills 7` | 1,234 kills, 98.2% of [these](docs/9.md), 98% |"
        assert unfounded(row, [RUN]) == []

    def test_that_no_run_found_are_named(self):
        assert unfounded("| `x` | 1,235 kills and 98.3% |", [RUN]) == ["1,235", "98.3"]


class TestKeeping:
    @pytest.fixture
    def result(self, tmp_path, monkeypatch):
        monkeypatch.setattr(figures, "figures_file", lambda name: tmp_path / f"{name}.json")
        machine = {"cores": 2, "cpu": "a name", "memory_gb": 4.0, "load": 0.1}
        verdicts = [{"name": "kills", "kind": "must", "value": 9, "holds": True}]
        return {"benchmark": "solver", "seed": 5, "machine": machine, "verdicts": verdicts}

    def keep(self, result, tmp_path, command="python -m benchmarks.solver"):
        source = tmp_path / "run.json"
        source.write_text(json.dumps(result))
        figures.keep(source, command)
        return kept_runs("solver")

    def test_replaces_the_run_of_the_same_command_and_is_not_old(self, result, tmp_path):
        self.keep(result, tmp_path)
        self.keep(result, tmp_path, "python -m benchmarks.solver --other")
        runs = self.keep(result, tmp_path)
        assert [run.command.split()[-1] for run in runs] == ["--other", "benchmarks.solver"]
        assert runs[0].figures == {"kills": 9}
        assert not is_old("solver")

    def test_refuses_a_run_that_failed(self, result, tmp_path):
        result["verdicts"][0]["holds"] = False
        with pytest.raises(SystemExit, match="does not hold"):
            self.keep(result, tmp_path)

    def test_changed_code_is_marked_and_unmarked(self, result, tmp_path, monkeypatch):
        self.keep(result, tmp_path)
        row = "| `python -m benchmarks.solver` | 9 kills |"
        assert marked(row) == row
        monkeypatch.setattr(figures, "code_digest", lambda _name: "another")
        assert marked(row) == f"| `python -m benchmarks.solver` | 9 kills {OLDER} |"
        assert marked(marked(row)) == marked(row)
        monkeypatch.undo()


def test_figures_lie_beside_their_benchmark():
    assert figures_file("chaos").parent.name == "chaos"
    assert figures_file("solver").parent.name == "benchmarks"
