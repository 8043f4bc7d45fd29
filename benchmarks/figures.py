"""Figures of full runs, in a JSON beside each benchmark: the README says no others, and marks those of older code.

`python -m benchmarks.figures keep RUN.json COMMAND` keeps what `--json RUN.json` wrote; the same command replaces its
figures of before. `python -m benchmarks.figures mark` puts the mark where code has changed since a run, and takes it
away where it has not.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
OLDER: Final = "(older code)"
ENGINE: Final = ("stratawatch/core", "stratawatch/engine", "stratawatch/adapters")
STUDY: Final = ("stratawatch/core", "stratawatch/study")
WEEKS: Final = tuple(f"benchmarks/labels/{name}.py" for name in ("chain", "cycle", "kinds", "worlds"))
"""The simulated weeks, without what is promised of labels."""
CODE: Final[Mapping[str, tuple[str, ...]]] = {
    "alarms": ("stratawatch/core", *WEEKS),
    "chaos": ENGINE,
    "by_metric": ("stratawatch/core", "benchmarks/coverage"),
    "cold_goals": ("stratawatch/core", "benchmarks/coverage"),
    "coverage": STUDY,
    "dashboard": (*ENGINE, "stratawatch/report", "stratawatch/web", "benchmarks/years_store.py"),
    "demo_worlds": ENGINE,
    "engines": ENGINE,
    "forecasts": ("stratawatch/core", "benchmarks/coverage", *WEEKS),
    "high_fractions": ("stratawatch/core", "benchmarks/coverage"),
    "label_flood": (*ENGINE, "benchmarks/years_store.py"),
    "agreement": ("stratawatch/core/estimation/agreement.py",),
    "label_error": STUDY,
    "labels": STUDY,
    "missing_answers": STUDY,
    "moved": ("stratawatch/core", "stratawatch/demo", "benchmarks/moved_frames.py", "benchmarks/demo_worlds_loop.py"),
    "panels": (*ENGINE, "stratawatch/cli", "benchmarks/chaos/databases.py"),
    "papers": (*STUDY, "stratawatch/literature"),
    "scan": ("stratawatch/adapters/sources",),
    "second_votes": (*STUDY, "benchmarks/label_error.py"),
    "solver": ("stratawatch/core",),
    "stream": (*ENGINE, "benchmarks/stream_installation.py", "benchmarks/years_store.py"),
    "study": STUDY,
    "weeks_together": ("stratawatch/core", *WEEKS),
    "years": (*ENGINE, "stratawatch/report", "stratawatch/cli", "benchmarks/years_store.py"),
}
"""What a benchmark runs beside its own sources: a change there makes its figures those of older code."""
_ROW: Final = re.compile(r"^\| `python -m benchmarks\.(\w+)")
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+|(?<![\w.])\d*\.?\d+")


@dataclass(frozen=True)
class Run:
    """What one run found, and on what; what was not noted at its time is None, and `code` empty."""

    command: str
    commit: str
    date: str
    seed: int | None
    machine: Mapping[str, Any]
    code: str
    figures: Mapping[str, float]


def figures_file(benchmark: str) -> Path:
    """Where a benchmark's figures lie."""
    folder = ROOT / "benchmarks" / benchmark
    return folder / "figures.json" if folder.is_dir() else folder.with_name(f"{benchmark}.figures.json")


def kept_runs(benchmark: str) -> tuple[Run, ...]:
    """The runs whose figures are kept."""
    file = figures_file(benchmark)
    return tuple(Run(**run) for run in json.loads(file.read_text(encoding="utf-8"))) if file.exists() else ()


def code_digest(benchmark: str) -> str:
    """A digest of the sources of a benchmark and of what it runs."""
    digest = sha256()
    for place in (f"benchmarks/{benchmark}", f"benchmarks/{benchmark}.py", *CODE[benchmark]):
        path = ROOT / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path] * path.exists():
            digest.update(f"{file.relative_to(ROOT).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def readme_rows(text: str) -> Iterator[tuple[str, str]]:
    """Benchmarks in the README, and the row of each."""
    for line in text.splitlines():
        if found := _ROW.match(line):
            yield found[1], line


def is_old(benchmark: str) -> bool:
    """Whether code has changed since any of the runs whose figures are kept."""
    present = code_digest(benchmark)
    return any(run.code != present for run in kept_runs(benchmark))


def unfounded(row: str, runs: Sequence[Run]) -> list[str]:
    """Numbers in a row of the README that no run found, rounded or as a percentage; code and addresses aside."""
    words = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", row.partition("|")[2].partition("|")[2])
    found = [value for run in runs for value in run.figures.values()]
    return [number for number in _NUMBER.findall(words) if not any(_is_rounded(number, value) for value in found)]


def keep(source: Path, command: str) -> Path:
    """Keep the verdicts of a run that wrote its JSON; returns the file."""
    result = json.loads(source.read_text(encoding="utf-8"))
    name = result["benchmark"]
    if not all(verdict["holds"] for verdict in result["verdicts"] if verdict["kind"] == "must"):
        raise SystemExit("a must does not hold in this run: its figures are not kept")
    run = Run(
        command,
        subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout[:12],
        f"{datetime.now(UTC):%Y-%m-%d}",
        result["seed"],
        {key: result["machine"][key] for key in ("cores", "memory_gb", "load")},
        code_digest(name),
        {verdict["name"]: verdict["value"] for verdict in result["verdicts"]},
    )
    others = [other for other in kept_runs(name) if other.code and other.command != command]
    text = json.dumps([asdict(one) for one in (*others, run)], indent=2, ensure_ascii=False)
    figures_file(name).write_text(text + "\n", encoding="utf-8")
    return figures_file(name)


def marked(text: str) -> str:
    """A README with the mark in the rows of benchmarks whose code has changed since, and in no others."""
    for name, row in list(readme_rows(text)):
        plain = row.replace(f" {OLDER}", "")
        text = text.replace(row, f"{plain.removesuffix(' |')} {OLDER} |" if is_old(name) else plain)
    return text


def _is_rounded(number: str, value: float) -> bool:
    number = number.replace(",", "")
    places = len(number.partition(".")[2])
    return any(round(scaled, places) == float(number) for scaled in (value, 100 * value))


def main(arguments: Sequence[str]) -> int:
    """Keep a run, or mark the README."""
    match arguments:
        case ["keep", source, command]:
            print(keep(Path(source), command).relative_to(ROOT))
        case ["mark"]:
            README.write_text(marked(README.read_text(encoding="utf-8")), encoding="utf-8")
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
