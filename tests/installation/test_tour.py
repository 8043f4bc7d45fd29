"""The five-minute tour of the README, typed in as it stands there, on a Parquet file of our own."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from stratawatch.cli.app import app
from tests.support.command_line import CliRunner

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TOUR = README[README.index("## Five minutes") : README.index("## A configuration")]

PREDICTIONS = """
copy (
    with rolled as (select i, (hash(i) % 100000) / 100000.0 as a, (hash(i + 1000003) % 100000) / 100000.0 as b
                    from range(4000) t(i))
    select 'm' || i as message_id,
           timestamp '2026-01-05' + interval (i * 150) second as scored_at,
           'message number ' || i as text,
           case when i % 3 = 0 then 'DE' else 'FR' end as country,
           a * a as score_lr,
           (a * a >= .5)::int as pred_lr,
           (a * a + b) / 2 as score_trees
    from rolled
) to '{path}' (format parquet)
"""


def commands() -> list[str]:
    """Every line that the tour says to type, in order."""
    blocks = re.findall(r"```console\n(.*?)```", TOUR, re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Each command with what it printed, run in one shell's worth of state."""
    folder = tmp_path_factory.mktemp("tour")
    duckdb.sql(PREDICTIONS.format(path=folder / "predictions.parquet"))
    # The same items and the same flips each time: once in some eighty tours the coin finds a classifier good enough.
    coin = re.search(r"```python\n(.*?)```", TOUR, re.DOTALL).group(1)
    (folder / "coin.py").write_text(coin.replace("random\n", "random\nrandom.seed(1)\n", 1), encoding="utf-8")
    found = []
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as environment:
        environment.setattr("stratawatch.cli.init_from.token_hex", lambda size: "07" * size)
        for line in commands():
            if "=" in line.split(" ", 1)[0]:
                environment.setenv(*line.split("=", 1))
                continue
            found.append((line, typed(line)))
    return folder, found


def typed(line: str) -> str:
    """What a command prints; those of stratawatch run in this process, which has loaded its libraries.

    Nobody is there to be asked: what is proposed is taken.
    """
    program, *arguments = shlex.split(os.path.expandvars(line))
    if program == "stratawatch":
        done = CliRunner().invoke(app, [*arguments, *(["--yes"] if arguments[0] == "init" else [])])
        code, text = done.exit_code, done.output
    else:
        own = Path(sys.executable).parent / program
        command = [own if own.exists() else program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        code, text = done.returncode, done.stdout + done.stderr
    assert code == 0, f"{line}: {text}"
    return text


def output(said, part: str, which: int = 0) -> str:
    return [text for line, text in said[1] if part in line][which]


@pytest.mark.slow
class TestTour:
    def test_a_configuration_is_proposed_with_what_check_and_plan_say_of_it(self, said):
        folder, _ = said
        text = output(said, "stratawatch init")
        assert "lr: score score_lr, a probability; call pred_lr" in text
        assert "stratawatch open --now 2026-01-12T01:00:00+00:00 --newest 1" in text
        assert 'kind = "folder"' in (folder / "stratawatch.toml").read_text(encoding="utf-8")

    def test_check_finds_everything_in_order(self, said):
        assert "Everything is in order." in output(said, "stratawatch check")
        assert "4,000" in output(said, "stratawatch check")

    def test_the_plan_says_what_the_budget_buys(self, said):
        text = " ".join(output(said, "stratawatch plan").split())
        assert "the budget of 300" in text
        assert "lr precision" in text
        assert "Predicted from scores alone." in text

    def test_one_window_is_opened_and_labelled_in_two_rounds(self, said):
        folder, _ = said
        assert output(said, "stratawatch open").count("opened cycle") == 1
        keys = [line for file in (folder / "queue/done").glob("*.jsonl") for line in file.read_text().splitlines()[1:]]
        assert len(keys) == 300
        assert "120 new" in output(said, "advance", 1)
        assert "180 new" in output(said, "advance", 2)

    def test_the_coin_makes_a_page(self, said):
        assert "\nlr (predictions): " in output(said, "advance", 2)

    def test_estimates_status_and_report_tell_the_same_story(self, said):
        folder, _ = said
        value = re.search(r"lr precision\D*?([\d.]+%)", output(said, "estimates"), re.DOTALL).group(1)
        assert value in output(said, "status")
        assert value in (folder / "reports/predictions/latest.html").read_text(encoding="utf-8")
