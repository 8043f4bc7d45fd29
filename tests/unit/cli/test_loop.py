"""The whole loop by commands: open, advance, report, and what they say."""

import re
from urllib.parse import unquote

from tests.unit.cli.conftest import NOW


class TestOpen:
    def test_it_opens_every_window_that_is_over_once(self, fresh):
        assert fresh.json("open", "--all", "--now", "2026-01-20T00:00:00+00:00") == {
            "undecided": [],
            "faults": [
                {
                    "cycle": 2,
                    "panel": "spam",
                    "faults": ["it has no rows"],
                    "sentence": "the window of cycle 2 will be refused: it has no rows",
                    "command": 'stratawatch cycles reopen 2 --why "..."',
                }
            ],
            "opened": [
                {
                    "id": 1,
                    "panel": "spam",
                    "window_start": "2026-01-05T00:00:00+00:00",
                    "window_end": "2026-01-12T00:00:00+00:00",
                },
                {
                    "id": 2,
                    "panel": "spam",
                    "window_start": "2026-01-12T00:00:00+00:00",
                    "window_end": "2026-01-19T00:00:00+00:00",
                },
            ],
        }
        assert fresh.json("open", "--now", "2026-01-20T00:00:00+00:00") == {
            "opened": [],
            "undecided": [],
            "faults": [],
        }

    def test_it_says_so_when_nothing_is_due(self, fresh):
        out = fresh.run("open", "--now", "2026-01-06T00:00:00+00:00").stdout
        assert out == "No window is over that has no cycle yet.\n"

    def test_a_moment_without_its_offset_is_refused(self, fresh):
        err = fresh.run("open", "--now", "2026-01-20", code=2).stderr
        assert "stratawatch: --now is not a moment with its offset from UTC; got 2026-01-20; write" in err


class TestAdvance:
    def test_it_freezes_plans_and_sends(self, fresh):
        fresh.run("open", "--now", NOW)
        done = fresh.json("advance", "--now", NOW)
        assert done["steps"] == {"settle": 0, "freeze": 1, "plan": 1, "dispatch": 1, "judge": 0}
        assert done["troubles"] == []
        (batch,) = (fresh.folder / "queue" / "out").iterdir()
        assert batch.name.startswith("spam-p00000-r1-b1-")

    def test_a_trouble_is_told_and_counts_as_a_failure(self, fresh):
        fresh.run("open", "--now", NOW)
        (fresh.folder / "predictions" / "week.parquet").unlink()
        failed = fresh.run("advance", "--now", NOW, code=2)
        assert "stratawatch: freeze 1: no Parquet or CSV file matches" in failed.stderr

    def test_what_another_worker_sent_meanwhile_is_not_what_this_one_asked(self, fresh, monkeypatch):
        from stratawatch.engine.cycle.advance import ONCE, advance

        collect = ONCE["collect"]

        def beside_another(ports):
            monkeypatch.setitem(ONCE, "collect", collect)
            assert advance(ports).steps["dispatch"] == 1
            return collect(ports)

        fresh.run("open", "--now", NOW)
        monkeypatch.setitem(ONCE, "collect", beside_another)
        assert fresh.json("advance", "--now", NOW)["asked"] == []

    def test_a_panel_that_another_one_is_at_is_skipped_with_one_sentence(self, fresh):
        from stratawatch.engine.lease import hold_lease
        from stratawatch.wiring import build

        fresh.run("open", "--now", NOW)
        with hold_lease(build(fresh.config).ports, "panel spam"):
            done = fresh.json("advance", "--now", NOW)
        assert [sentence.partition(" until")[0] for sentence in done["skipped"]] == [
            "another process holds the lease 'panel spam'"
        ]
        assert done["steps"]["freeze"] == 0

    def test_a_panel_that_there_is_not_is_refused(self, fresh):
        assert "there is no panel 'scam'" in fresh.run("advance", "--panel", "scam", code=2).stderr


class TestReport:
    def test_it_writes_the_page_and_says_where(self, judged):
        path = judged.json("report", "--now", NOW)["path"]
        assert path.endswith("reports/spam/2026-01-12.html")
        assert "<html" in (judged.folder / "reports/spam/2026-01-12.html").read_text().lower()

    def test_its_links_to_the_input_check_lead_to_pages(self, judged):
        path = judged.folder / "reports/spam/2026-01-12.html"
        judged.run("report", "--now", NOW)
        links = re.findall(r'href="([^"]*checks[^"]*)"', path.read_text(encoding="utf-8"))
        assert len(links) == 1
        page = (path.parent / unquote(links[0])).resolve()
        assert "The candidates, row by row: panel spam" in page.read_text(encoding="utf-8")
        (cycle,) = judged.json("cycles")["cycles"]
        docs = judged.json("cycles", "show", str(cycle["id"]))["docs"]
        assert page == (judged.folder / "reports" / docs).resolve()
