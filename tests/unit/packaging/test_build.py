"""Make and CI: the targets are there, and CI does not pass when a test did not run."""

import os
import re
import stat
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MAKEFILE = (ROOT / "Makefile").read_text()

TESTS = ("test", "test-all", "test-drills", "test-pooled", "test-long")
RUN_PYTHON = (*TESTS, "demo", "lint", "types", "contracts", "docs", "bench", "bench-quick", "up")

FAKE_MAKE = """#!/bin/sh
case "$1" in
    "$FAKE_TARGET")
        while [ -n "$FAKE_SLEEPER" ] && [ ! -s "$FAKE_SLEEPER" ]; do sleep 0.05; done
        printf '%s\\n' "$FAKE_CLOSING"; exit "$FAKE_STATUS" ;;
    test-*) echo "== 9 passed in 1.00s ==" ;;
    rehearsal)
        if [ -n "$FAKE_SLEEPER" ]; then (echo "$(exec sh -c 'echo $PPID')" >"$FAKE_SLEEPER"; exec sleep 25); fi
        echo "made $*"; exit "$FAKE_CHECKS" ;;
    *) echo "made $*"; exit "$FAKE_CHECKS" ;;
esac
"""


@pytest.fixture
def ci(tmp_path):
    """Run .ci/run with a make that only pretends."""
    make = tmp_path / "make"
    make.write_text(FAKE_MAKE)
    make.chmod(make.stat().st_mode | stat.S_IEXEC)

    def run(
        closing: str,
        *,
        target: str = "test-all",
        status: int = 0,
        checks: int = 0,
        slowness: str = "1.0",
        sleeper: str = "",
    ) -> subprocess.CompletedProcess:
        fakes = {"FAKE_TARGET": target, "FAKE_CLOSING": closing, "FAKE_STATUS": str(status), "FAKE_CHECKS": str(checks)}
        fakes |= {"KNOWN_SLOWNESS": slowness, "FAKE_SLEEPER": sleeper}
        return subprocess.run(
            ["bash", ROOT / ".ci" / "run"],
            env={**os.environ, **fakes, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )

    return run


class TestMakefile:
    @pytest.mark.parametrize("target", [*RUN_PYTHON, "lock"])
    def test_the_target_exists_and_is_never_taken_for_a_file(self, target):
        assert re.search(rf"^{target}:", MAKEFILE, flags=re.MULTILINE)
        [phony] = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)
        assert target in phony.split()

    @pytest.mark.parametrize("target", RUN_PYTHON)
    def test_what_runs_python_sets_up_first(self, target):
        assert re.search(rf"^{target}: \$\(STAMP\)", MAKEFILE, flags=re.MULTILINE)

    def test_packages_are_installed_by_hash_only(self):
        assert "--require-hashes requirements.lock" in MAKEFILE


class TestContinuousIntegration:
    def test_a_run_in_which_everything_passed_passes_and_ends_with_the_closing_line(self, ci):
        closing = "========== 412 passed in 93.12s (0:01:33) =========="
        done = ci(closing)
        assert done.returncode == 0
        assert done.stdout.splitlines()[-1] == closing

    def test_lint_types_and_contracts_come_before_the_tests(self, ci):
        assert ci("= 1 passed in 0.1s =").stdout.startswith("made lint types contracts")

    @pytest.mark.parametrize("closing", ["411 passed, 1 skipped", "411 passed, 1 xfailed", "1 passed, 400 deselected"])
    @pytest.mark.parametrize("target", ["test-all", "test-drills", "test-pooled"])
    def test_a_test_that_did_not_run_fails_it(self, ci, target, closing):
        done = ci(f"===== {closing} in 93.12s =====", target=target)
        assert done.returncode == 1
        assert "not every test ran" in done.stderr

    @pytest.mark.parametrize("target", ["test-all", "test-drills", "test-pooled"])
    def test_a_failing_test_fails_it(self, ci, target):
        assert ci("===== 1 failed, 411 passed in 93.12s =====", target=target, status=2).returncode != 0

    def test_tests_of_live_services_may_take_ten_minutes_and_on_a_slow_machine_twice_that(self, ci):
        closing = "===== 411 passed in 593.12s ====="
        done = ci(f"{closing}\nrun: 600 s", target="test-live")
        assert (done.returncode, done.stderr) == (0, "")
        done = ci(f"{closing}\nrun: 601 s", target="test-live")
        assert done.returncode == 1
        assert "its tests took 601 s and may take 600" in done.stderr
        assert ci(f"{closing}\nrun: 900 s", target="test-live", slowness="1.5").returncode == 0
        done = ci(f"{closing}\nrun: 1201 s", target="test-live", slowness="")  # measured on this machine
        assert done.returncode == 1
        assert "its tests took 1201 s and may take " in done.stderr

    def test_tests_that_take_longer_than_nine_minutes_are_told_and_fail_nothing(self, ci):
        closing = "===== 411 passed in 540.12s ====="
        assert ci(f"{closing}\nrun: 540 s").stderr == ""
        done = ci(f"{closing}\nrun: 541 s")
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, closing)
        assert "541 s and should take 540" in done.stderr

    def test_a_failing_check_fails_it_before_any_test(self, ci):
        done = ci("===== 412 passed in 93.12s =====", checks=2)
        assert done.returncode != 0
        assert "412 passed" not in done.stdout

    @pytest.mark.parametrize("target", ["rehearsal", "deployments", "chaos-quick"])
    def test_what_fails_beside_other_steps_fails_it_and_is_shown(self, ci, target):
        done = ci("it did not hold", target=target, status=2)
        assert done.returncode == 1
        assert "it did not hold" in done.stderr
        assert "\ntests: " not in done.stdout

    def test_a_run_that_ends_early_leaves_nothing_running(self, ci, tmp_path):
        """What the target beside it started too: the rehearsal is a process below make's shell."""
        sleeper = tmp_path / "sleeper"
        assert ci("no demo", target="demo", status=2, sleeper=str(sleeper)).returncode != 0
        process, patience = Path("/proc") / sleeper.read_text().strip(), 100
        while process.exists() and patience:
            patience -= 1
            time.sleep(0.05)
        assert not process.exists()

    @pytest.mark.parametrize("target", ["rehearsal", "deployments", "chaos-quick"])
    def test_of_what_passes_beside_other_steps_the_last_lines_are_shown(self, ci, target):
        done = ci("one\ntwo\nthree\nfour\nfive", target=target)
        assert "two\nthree\nfour\nfive\n" in done.stdout
        assert "one" not in done.stdout.splitlines()

    def test_a_run_without_a_closing_line_fails_it(self, ci):
        assert ci("no tests here").returncode != 0


def benchmarks_named(one: str) -> list[str]:
    """The benchmarks of a list in the Makefile."""
    [names] = re.findall(rf"^{one} = (.*)$", MAKEFILE, flags=re.MULTILINE)
    return names.split()


class TestBenchmarks:
    @pytest.fixture
    def bench_quick(self, tmp_path):
        """`make bench-quick` with a Python that writes down what it was asked for, and fails for one benchmark."""

        def run(fails: str = "none") -> tuple[subprocess.CompletedProcess, list[str]]:
            (tmp_path / "python").write_text(
                f'#!/bin/sh\necho "$@" | tee -a {tmp_path}/asked\ntest $2 != benchmarks.{fails}\n'
            )
            (tmp_path / "python").chmod(0o755)
            command = ["make", "-s", "bench-quick", f"BIN={tmp_path}", f"STAMP={tmp_path}/python"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            asked = (tmp_path / "asked").read_text().splitlines()
            return done, [one.removeprefix("-m benchmarks.").removesuffix(" --quick") for one in asked]

        return run

    def test_every_benchmark_that_the_readme_names_runs_in_ci_but_those_of_real_data(self):
        named = set(re.findall(r"`python -m benchmarks\.(\w+)", (ROOT / "README.md").read_text(encoding="utf-8")))
        assert named - {*benchmarks_named("TIMED"), *benchmarks_named("COUNTED")} == {"labels", "stream"}
        assert "make bench-quick" in (ROOT / ".ci/run").read_text(encoding="utf-8")

    def test_those_that_take_times_run_one_by_one_and_then_the_others(self, bench_quick):
        done, asked = bench_quick()
        timed, counted = benchmarks_named("TIMED"), benchmarks_named("COUNTED")
        assert asked[: len(timed)] == timed
        assert sorted(asked[len(timed) :]) == sorted(counted)
        assert done.returncode == 0
        assert all(f"{name}: " in done.stdout + done.stderr for name in asked)

    def test_one_that_does_not_hold_fails_it(self, bench_quick):
        done, asked = bench_quick(fails="solver")
        assert done.returncode != 0
        assert asked == ["solver"]

    def test_one_that_does_not_hold_beside_another_fails_it_and_the_others_run(self, bench_quick):
        done, asked = bench_quick(fails="coverage")
        assert done.returncode != 0
        assert len(asked) == len(benchmarks_named("TIMED")) + len(benchmarks_named("COUNTED"))
