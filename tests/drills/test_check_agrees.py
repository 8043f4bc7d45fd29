"""No window that `check` calls fit is refused afterwards by `plan`, `open` or `advance`, whatever it holds."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratawatch.adapters.store import SqlStore
from stratawatch.cli.app import app
from tests.support.command_line import CliRunner
from tests.support.configurations import RIGHT, changed
from tests.support.hypothesis_examples import examples

NOW = "2026-01-12T06:00:00+00:00"
SCORE = "((i * 7919) % 2003) / 2003.0"
OTHER = "((i * 7919 + (i * 31) % 400) % 2003) / 2003.0"

ROWS = [1, 3, 12, 13, 60, 400, 1500]
COLUMNS = {
    "id": [
        "'item-' || i",
        "i",
        "i::DOUBLE",
        "MD5(i::VARCHAR)::UUID",
        "' it''s \"' || i || '\" '",
        "'item-' || (i % 390)",
        "CASE WHEN i % 150 <> 7 THEN i END",
        "CASE WHEN i % 20 <> 7 THEN i END",
    ],
    '"at"': [
        "TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE",
        "TIMESTAMPTZ '2026-01-05 00:00:00+00' + INTERVAL (i) MINUTE",
        "(TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE)::VARCHAR",
        "DATE '2026-01-05' + (i % 7)::INT",
        "1767571200 + i",
        "TIMESTAMP '2026-01-01' + INTERVAL (i) MINUTE",
        "CASE WHEN i % 150 <> 7 THEN TIMESTAMP '2026-01-05' + INTERVAL (i) MINUTE END",
        "TIMESTAMP '2026-01-13' + INTERVAL (i) MINUTE",
    ],
    '"text"': [
        "'text ' || i",
        "''",
        "NULL::VARCHAR",
        "i",
        "{'a': i, 'b': [1.5, NULL]}",
        "REPEAT('x', 20000)",
        "'a\\x00b'::BLOB",
    ],
    "country": ["CASE WHEN i % 3 = 0 THEN 'DE' ELSE 'FR' END", "NULL::VARCHAR", "i % 3 = 0", "i", "'a=b, c'"],
    "score_lr": [
        SCORE,
        f"({SCORE})::FLOAT",
        f"({SCORE})::VARCHAR",
        f"CASE WHEN i % 150 = 7 THEN 'nan'::DOUBLE ELSE {SCORE} END",
        f"CASE WHEN i % 20 = 7 THEN 'nan'::DOUBLE ELSE {SCORE} END",
        f"CASE WHEN i % 20 <> 7 THEN {SCORE} END",
        f"100 * {SCORE}",
        "0.5",
        "0.0",
        "NULL::DOUBLE",
    ],
    "score_rf": [OTHER, f"{OTHER} / 2", "1.0", f"ROUND({OTHER})", f"CASE WHEN i % 20 <> 7 THEN {OTHER} END"],
    "pred_lr": [
        f"{SCORE} >= 0.5",
        f"({SCORE} >= 0.5)::INT",
        f"({SCORE} >= 0.5)::DOUBLE",
        f"CASE WHEN {SCORE} >= 0.5 THEN 'spam' ELSE 'ham' END",
        f"CASE WHEN {SCORE} >= 0.5 THEN 'yes' ELSE 'no' END",
        "FALSE",
        "TRUE",
        "NULL::BOOLEAN",
        f"CASE WHEN i % 2 = 0 THEN {SCORE} >= 0.5 END",
        "i < 3",
    ],
}
"""Columns of predictions, the usual one first."""
LR = 'score = "score_lr"\ncall = "pred_lr"'
GOALS = '[[panels.spam.goals]]\nmetric = "precision"\nmargin = 0.05'
CHANGES = [
    ("budget = 120", "budget = 12"),
    ("budget = 120", "budget = 2000"),
    (LR, 'call = "pred_lr"'),
    (LR, 'score = "score_lr"\ncut_off = 0.5'),
    (LR, 'score = "score_lr"\nscore_kind = "margin"\ncut_off = 0.5'),
    (LR, f'{LR}\ncall_yes = "spam"'),
    (LR, f"{LR}\npaused = true"),
    ("cut_off = 0.6", "cut_off = 0.0001"),
    ('segments = ["country"]', ""),
    ('segments = ["country"]', 'segments = ["country"]\ncluster = "country"'),
    ('segments = ["country"]', 'segments = ["country"]\ncluster = "text"'),
    ("floor = 0.8", 'floor = 0.8\nsegment = "country=XX"'),
    ("floor = 0.8", "max_drop = 0.1"),
    ('"precision"\nfloor = 0.8', '"recall"\nfloor = 0.8'),
    (GOALS, ""),
    (GOALS, GOALS.replace("0.05", "0.001")),
    (GOALS, GOALS.replace("precision", "recall").replace("0.05", "0.3")),
    (GOALS, GOALS.replace("precision", "false_omission_rate")),
    ('every = "7d"', 'every = "1d"'),
    ('every = "7d"', 'every = "7d"\nlateness = "2h"'),
    ('deadline = "3d"', 'deadline = "1h"'),
]
KEYS = [
    'stop_rule = "goals"',
    'design = "srs"',
    'design = "kumar"',
    'design = "bennett"',
    'design = "tripathi"',
    'variance = "brr"',
    'variance = "labels"',
    'duplicates = "latest"',
    "votes = 3",
    'second_votes = "called_negative_yes"',
    "gold_share = 0.5",
    'random_numbers = "by window"',
    'alarms = "window"',
    "max_bad_row_share = 0.0",
    "max_bad_row_share = 0.5",
    "max_missing_score_share = 1.0",
    "batch_size = 1",
    "confidence = 0.5",
    "confidence = 0.9999",
]


@st.composite
def worlds(draw):
    """A number of rows, the columns that are unusual, and what is changed in the configuration."""
    unusual = draw(st.lists(st.sampled_from([*COLUMNS]), max_size=2, unique=True))
    columns = {name: draw(st.sampled_from(COLUMNS[name])) for name in unusual}
    changes = draw(st.lists(st.sampled_from(CHANGES), max_size=2, unique_by=lambda one: one[0]))
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique_by=lambda one: one.split(" = ")[0]))
    return draw(st.sampled_from(ROWS)), columns, changes, keys


def run(folder: Path, *arguments: str):
    environment = {"STRATAWATCH_CONFIG": str(folder / "stratawatch.toml")}
    return CliRunner().invoke(app, [*arguments, "--now", NOW], env=environment)


def build(folder: Path, rows: int, columns, changes, keys) -> None:
    text = changed(RIGHT, *changes)
    table = "[panels.spam]\n"
    (folder / "stratawatch.toml").write_text(text.replace(table, table + "".join(f"{key}\n" for key in keys)))
    SqlStore(f"sqlite:///{folder}/stratawatch.db", create=True).dispose()
    (folder / "predictions").mkdir()
    selected = ", ".join(f"{columns.get(name, usual[0])} AS {name}" for name, usual in COLUMNS.items())
    duckdb.sql(f"SELECT {selected} FROM range({rows}) AS t(i)").write_parquet(f"{folder}/predictions/week.parquet")


def agrees(folder: Path) -> bool:
    """Whether `check` is content; where it is, everybody after it must be."""
    check = run(folder, "check", "--json")
    assert check.exit_code in (0, 1), (check.stdout, check.stderr, check.exception)
    if check.exit_code:
        assert json.loads(check.stdout)["problems"]
        return False
    for command in (("plan", "--dry-run"), ("plan",), ("open", "--newest", "1"), ("advance",), ("advance",)):
        done = run(folder, *command)
        assert done.exit_code == 0, (command, done.stdout, done.stderr, done.exception)
    return True


def test_a_usual_window_is_fit_and_stays_so(tmp_path):
    build(tmp_path, 400, {}, [], [])
    assert agrees(tmp_path)


@settings(max_examples=examples(5), deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds())
def test_what_check_calls_fit_is_planned_opened_and_frozen(world):
    with TemporaryDirectory() as folder:
        build(Path(folder), *world)
        agrees(Path(folder))
