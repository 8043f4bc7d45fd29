"""What a newcomer sees first is in words that an engineer knows, and says below each table how to read it."""

import json

import pytest

from stratawatch.formatting import READ_AS
from tests.support.method_words import method_words_in, unexplained_tables
from tests.unit.cli.conftest import NOW, ROWS, Installation

AFTER = "2026-01-12T09:00:00+00:00"
FIRST = {
    "check": ("check", "--now", AFTER),
    "plan": ("plan", "--now", AFTER),
    "plan --all": ("plan", "--all", "--now", AFTER),
    "plan --dry-run": ("plan", "--dry-run", "--now", AFTER),
    "status": ("status",),
    "estimates": ("estimates",),
    "estimates --segments": ("estimates", "--segments"),
    "estimates --history": ("estimates", "--history"),
    "estimates --together": ("estimates", "--together", "1"),
}
BEHIND = {
    "plan": ("plan", "--method", "--now", AFTER),
    "plan --dry-run": ("plan", "--dry-run", "--method", "--now", AFTER),
    "estimates": ("estimates", "--method"),
    "estimates --together": ("estimates", "--together", "1", "--method"),
}
WITHOUT_TABLES = ("check",)
USUAL, ODD = "as usual", "clusters and missing answers"
"""Two panels. With clusters windows cannot be put together."""


def cases(screens):
    """Each screen of both panels."""
    return [(world, name) for world in (USUAL, ODD) for name in screens if world == USUAL or "together" not in name]


@pytest.fixture(scope="module")
def skipped_folder(judged_folder, tmp_path_factory):
    """The judged cycle, of which some answers were taken back later, by customers who belong together."""
    home = Installation(tmp_path_factory.mktemp("skipped") / "home")
    home.folder.mkdir()
    home.configure(
        ('segments = ["country"]', 'segments = ["country"]\ncluster = "customer"'),
        ("budget = 60", 'budget = 60\nstop_rule = "goals"'),
    )
    home.predict(f"SELECT *, 'c' || (substring(id, 6)::INTEGER % 12) AS customer FROM ({ROWS})")
    home.run("init")
    for command, hour in (("open", "06"), ("advance", "06"), ("advance", "08"), ("advance", "09")):
        home.run(command, "--now", f"2026-01-12T{hour}:00:00+00:00")
        home.answer()
    said = [json.loads(line) for path in sorted((home.folder / "queue").rglob("in/*")) for line in path.open()]
    yes = [line for line in said if line["value"] == "yes"][::2]
    again = [json.dumps({**line, "value": "skip", "at": "2026-01-12T10:00:00+00:00"}) + "\n" for line in yes]
    (home.folder / "queue" / "in" / "again.jsonl").write_text("".join(again), encoding="utf-8")
    home.run("advance", "--now", "2026-01-12T11:00:00+00:00")
    return home.folder


@pytest.fixture
def home(world, judged_folder, skipped_folder) -> Installation:
    """A judged panel; nothing that is run here writes."""
    return Installation(judged_folder if world == USUAL else skipped_folder, columns=80)


@pytest.mark.parametrize(("world", "screen"), cases(FIRST))
class TestFirstScreens:
    def test_have_no_words_of_the_method(self, home, screen):
        assert method_words_in(home.run(*FIRST[screen]).stdout) == []

    def test_say_how_to_read_each_table(self, home, screen):
        out = home.run(*FIRST[screen]).stdout
        assert unexplained_tables(out) == []
        assert (READ_AS in out) == (screen not in WITHOUT_TABLES)

    def test_say_it_in_a_narrow_terminal_too(self, home, screen):
        wide = home.run(*FIRST[screen]).stdout
        narrow = Installation(home.folder, columns=60).run(*FIRST[screen]).stdout
        assert narrow.count(READ_AS) == wide.count(READ_AS)
        assert max(map(len, narrow.splitlines())) <= 62  # a table's last column ends with its gap


@pytest.mark.parametrize(("world", "screen"), cases(BEHIND))
class TestBehindTheMethod:
    def test_its_words_are_there(self, home, screen):
        assert method_words_in(home.run(*BEHIND[screen]).stdout)

    def test_tables_are_explained_too(self, home, screen):
        assert unexplained_tables(home.run(*BEHIND[screen]).stdout) == []


def test_init_says_it_in_these_words(empty):
    empty.folder.mkdir()
    empty.columns = 80
    empty.predict()
    out = empty.run("init", "--from", str(empty.folder / "predictions" / "week.parquet"), "--yes").stdout
    assert "All goals together need" in out
    assert method_words_in(out) == []
    assert unexplained_tables(out) == []


def test_a_fresh_panel_is_told_in_these_words(fresh):
    for screen in ("check", "plan", "plan --dry-run"):
        out = fresh.run(FIRST[screen][0], *FIRST[screen][1:-2], "--now", NOW).stdout
        assert method_words_in(out) == [], screen
    assert method_words_in(fresh.run("status").stdout) == []


class TestTheListItself:
    @pytest.mark.parametrize(
        "text",
        ["n_eff 12", "in 3 strata", "Half-widths of recall", "by MOVER-R on FF/MID", "the evidence of all", "deff"],
    )
    def test_it_finds(self, text):
        assert method_words_in(text)

    @pytest.mark.parametrize("text", ["stratawatch plan", "a list of labels", "robin bounds", "better", "between"])
    def test_it_leaves_alone(self, text):
        assert method_words_in(text) == []

    def test_a_table_without_its_sentence_is_found(self):
        table = "metric      value\nlr recall   80%\n"
        assert unexplained_tables(table) == ["metric      value"]
        assert unexplained_tables(f"{table}{READ_AS}the recall of lr is 80%.") == []
