"""What documentation pages say to type works as typed, page by page, in a small project with two judged windows."""

import contextlib
import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.support.console_blocks import Block, blocks, play, typed

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = "## Five minutes"
"""The section of the README that test_tour types in."""
PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if "```console" in path.read_text("utf-8")
)
WEEK = timedelta(days=7)
ROWS = 12_000
SECONDS = 151
"""From one prediction to the next: three weeks of them."""

PREDICTIONS = f"""
copy (
    with rolled as (select i, (hash(i) % 100000) / 100000.0 as a, (hash(i + 1000003) % 100000) / 100000.0 as b
                    from range({ROWS}) t(i))
    select 'm' || i as message_id,
           timestamp '{{start:%Y-%m-%d}}' + interval (i * {SECONDS}) second as scored_at,
           'message number ' || i as text,
           case when i % 3 = 0 then 'DE' else 'FR' end as country,
           a * a as score_lr,
           (a * a >= .5)::int as pred_lr,
           (a * a + b) / 2 as score_trees
    from rolled
) to '{{path}}' (format parquet)
"""


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, without the tour."""
    text = page.read_text(encoding="utf-8")
    if page.name == "README.md" and TOUR in text:
        text = text[: text.index(TOUR)] + text[text.index("## ", text.index(TOUR) + len(TOUR)) :]
    return blocks(text)


def ids(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


RUN = [page for page in PAGES if any(one.language == "console" and one.key != "not run" for one in blocks_of(page))]
LEFT_OUT = {
    f"{ids(page)}: {command}": one.value
    for page in PAGES
    for one in blocks_of(page)
    if one.key == "not run"
    for command in one.commands
}


PROMISED = {
    "how-many-labels": "All goals together need",
    "labelling": r"labels: \d\d+ new, 0 for unknown items, 0 rejected",
    "slack": "alerts to slack",
    "unproven": r"○ UNPROVEN(.|\n)*○ lr precision: (.|\n)*\bin\s+about\s+\d+\s+more\s+weeks?\b",
    "wide-interval": "2 windows together",
}
"""What a page says that its commands print."""


def configuration(start: datetime) -> str:
    """The README's own, with a folder as its queue, from this day on and with fewer labels."""
    text = re.search(r"```toml\n(.*?)```", README, re.DOTALL).group(1)
    for old, new in (
        ('kind = "page"', 'kind = "folder"'),
        ("2026-01-05T00:00:00Z", f"{start:%Y-%m-%dT%H:%M:%SZ}"),
        ("budget = 900", "budget = 200"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def answer_all() -> None:
    """One annotator says yes to nine in eleven of those that lr calls positive, so that its precision is a little above its floor."""
    for batch in Path("queue/out").glob("*.jsonl"):
        tasks = [json.loads(line) for line in batch.read_text(encoding="utf-8").splitlines()[1:]]
        numbers = [int(task["payload"]["text"].rsplit(" ", 1)[1]) for task in tasks]
        scores = duckdb.sql(
            f"select message_id, score_lr from 'predictions/mine.parquet' where message_id in "
            f"({', '.join(repr(f'm{number}') for number in numbers)})"
        ).fetchall()
        risky = {item for item, score in scores if score > 0.5}
        with Path("queue/in/ann.jsonl").open("a", encoding="utf-8") as file:
            for task, number in zip(tasks, numbers, strict=True):
                is_yes = f"m{number}" in risky and number % 11 >= 2
                line = {"key": task["key"], "value": "yes" if is_yes else "no", "annotator": "ann"}
                file.write(json.dumps(line) + "\n")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A folder whose panel has judged two windows; a third one is over."""
    folder = tmp_path_factory.mktemp("project")
    start = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - 3 * WEEK
    (folder / "predictions").mkdir()
    duckdb.sql(PREDICTIONS.format(start=start, path=folder / "predictions/mine.parquet"))
    (folder / "stratawatch.toml").write_text(configuration(start), encoding="utf-8")
    now = f"--now {start + 2 * WEEK + timedelta(hours=1):%Y-%m-%dT%H:%M:%S+00:00}"
    with contextlib.chdir(folder):
        typed("stratawatch init")
        typed(f"stratawatch open --all {now}")
        for _ in range(3):
            typed(f"stratawatch advance {now}")
            answer_all()
    return folder


@pytest.fixture
def copy(project, tmp_path) -> Path:
    """A copy of the project, for one page."""
    return shutil.copytree(project, tmp_path / "watch")


@pytest.mark.slow
class TestPages:
    @pytest.mark.parametrize("page", RUN, ids=ids)
    def test_what_it_says_to_type_works(self, copy, page):
        with contextlib.chdir(copy):
            said = play(blocks_of(page))
        text = "".join(output for _, output in said)
        assert said
        assert "Traceback" not in text
        assert re.search(PROMISED.get(page.stem, ""), text)


class TestBlocks:
    def test_what_no_test_runs_says_why(self):
        """The list, for who reads the log: nothing is left out silently."""
        for command, why in LEFT_OUT.items():
            print(f"not run: {command} ({why})")
        assert LEFT_OUT
        assert all(len(why.split()) > 2 for why in LEFT_OUT.values())

    def test_every_block_is_run_or_left_out_for_a_reason(self):
        found = {f"{ids(page)}: {one.text}" for page in PAGES for one in blocks_of(page) if one.language == "console"}
        assert [text for text in found if not re.search(r"^\$ ", text.partition(": ")[2], re.MULTILINE)] == []

    def test_no_page_tags_its_commands_otherwise(self):
        """As bash they would escape the tests."""
        pages = [ids(page) for page in PAGES for one in blocks_of(page) if one.language in ("bash", "sh", "shell")]
        assert pages == []

    def test_a_comment_is_of_a_kind_that_is_read(self):
        kinds = {
            kind for page in PAGES for kind in re.findall(r"^<!-- ([a-z ]+): ", page.read_text("utf-8"), re.MULTILINE)
        }
        assert kinds <= {"not run", "file", "adds to"}
