"""The shape every benchmark shares: options, JSON, exit status."""

import json
import math

import numpy as np
import pytest

from benchmarks.shape import DEFAULT_SEED, Options, Result, Verdict, main, parse

KEPT = Verdict("coverage", "must", 0.95, 0.94, ">=")
BROKEN = Verdict("lost", "must", 1, 0, "<=")
MISSED = Verdict("seconds", "aim", 90, 60, "<=")


def run_main(tmp_path, *verdicts, rows=(), argv=()):
    seen: list[Options] = []

    def run(options: Options) -> Result:
        seen.append(options)
        return Result(rows=list(rows), verdicts=list(verdicts))

    file = tmp_path / "deep" / "out.json"
    status = main("sketch", run, [*argv, "--json", str(file)])
    return status, json.loads(file.read_text()), seen[0]


class TestVerdict:
    def test_a_value_on_its_bound_holds_in_both_directions(self):
        assert Verdict("a", "must", 0, 0, "<=").holds
        assert Verdict("a", "must", 0, 0, ">=").holds

    def test_direction_decides_the_side(self):
        assert not Verdict("a", "must", 0.93, 0.94, ">=").holds
        assert Verdict("a", "must", 0.93, 0.94, "<=").holds

    @pytest.mark.parametrize("direction", [">=", "<="])
    def test_not_a_number_holds_nothing(self, direction):
        assert not Verdict("a", "must", math.nan, 0, direction).holds


class TestExitStatus:
    def test_zero_when_every_must_holds(self, tmp_path):
        assert run_main(tmp_path, KEPT)[0] == 0

    def test_not_zero_when_one_must_fails(self, tmp_path):
        assert run_main(tmp_path, KEPT, BROKEN)[0] == 1

    def test_a_missed_aim_is_reported_and_forgiven(self, tmp_path):
        status, shape, _ = run_main(tmp_path, KEPT, MISSED)
        assert status == 0
        assert [v["holds"] for v in shape["verdicts"]] == [True, False]


class TestJson:
    def test_the_keys_are_exactly_the_shape(self, tmp_path):
        _, shape, _ = run_main(tmp_path, KEPT, rows=[{"world": 1}])
        assert list(shape) == ["benchmark", "seed", "quick", "machine", "rows", "verdicts"]
        assert list(shape["verdicts"][0]) == ["name", "kind", "value", "bound", "holds"]
        assert shape["benchmark"] == "sketch"
        assert shape["rows"] == [{"world": 1}]

    def test_numpy_numbers_become_numbers_and_nan_becomes_null(self, tmp_path):
        rows = [{"count": np.int64(3), "share": np.float64(0.5), "none": math.nan, "flag": np.bool_(1)}]
        _, shape, _ = run_main(tmp_path, rows=rows)
        assert shape["rows"] == [{"count": 3, "share": 0.5, "none": None, "flag": True}]

    def test_a_dash_keeps_stdout_for_the_json_alone(self, capsys):
        main("sketch", lambda _: Result(verdicts=[KEPT]), ["--json", "-"])
        captured = capsys.readouterr()
        assert json.loads(captured.out)["benchmark"] == "sketch"
        assert "coverage" in captured.err

    def test_the_machine_is_described(self, tmp_path):
        _, shape, _ = run_main(tmp_path, KEPT)
        assert shape["machine"]["cores"] >= 1
        assert {"cpu", "memory_gb", "python", "load"} <= set(shape["machine"])


class TestTables:
    def test_rows_of_different_columns_stand_in_tables_of_their_own(self, capsys):
        rows = [{"run": "a", "kills": 1}, {"run": "b", "kills": 2}, {"point": "commit", "times": 3}]
        main("sketch", lambda _: Result(rows=rows), [])
        heads = [line for line in capsys.readouterr().out.splitlines() if "run" in line or "point" in line]
        assert [("kills" in head, "times" in head) for head in heads] == [(True, False), (False, True)]


class TestOptions:
    def test_the_seed_is_fixed_unless_given(self):
        assert parse("sketch", []).seed == DEFAULT_SEED
        assert parse("sketch", ["--seed", "7"]).seed == 7

    def test_a_random_seed_is_drawn_at_run_time_and_reported(self, tmp_path):
        drawn = {parse("sketch", ["--seed", "random"]).seed for _ in range(5)}
        assert len(drawn) > 1
        _, shape, options = run_main(tmp_path, KEPT, argv=["--seed", "random"])
        assert shape["seed"] == options.seed

    def test_a_seed_that_is_no_number_is_refused(self, capsys):
        with pytest.raises(SystemExit):
            parse("sketch", ["--seed", "seven"])
        assert "--seed" in capsys.readouterr().err

    def test_quick_and_own_arguments_reach_the_benchmark(self):
        options = parse("sketch", ["--quick", "--kills", "3"], lambda p: p.add_argument("--kills", type=int))
        assert options.quick
        assert options.given.kills == 3
