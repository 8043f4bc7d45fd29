"""Writing: whole files only, one page a panel and day, an index."""

import os
from dataclasses import replace

import pytest

from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.report import write, write_reports
from tests.support.report_quarter import NOW, Memory, quarter, spec


class TestWrite:
    def test_writes_the_days_page_the_latest_and_the_index_and_returns_the_page(self, tmp_path):
        page = write(quarter(), None, tmp_path, NOW)
        assert page == tmp_path / "toxicity" / "2026-03-23.html"
        assert page.read_bytes() == (tmp_path / "toxicity" / "latest.html").read_bytes()
        assert 'href="toxicity/latest.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")

    def test_nobody_else_may_read_it(self, tmp_path):
        page = write(quarter(), None, tmp_path / "reports", NOW)
        files = [page, page.with_name("latest.html"), tmp_path / "reports" / "index.html"]
        assert {f"{file.stat().st_mode & 0o777:o}" for file in files} == {"600"}
        assert {f"{folder.stat().st_mode & 0o777:o}" for folder in (page.parent, page.parent.parent)} == {"700"}

    def test_leaves_no_drafts_behind(self, tmp_path):
        write(quarter(), None, tmp_path, NOW)
        found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
        assert found == ["index.html", "toxicity/2026-03-23.html", "toxicity/latest.html"]

    def test_with_several_panels_the_index_is_the_page_to_open(self, tmp_path):
        store = Memory(spec())
        panels = {name: replace(store.panel, name=name) for name in ("toxicity", "fraud")}
        assert write(store, panels, tmp_path, NOW) == tmp_path / "index.html"
        assert (tmp_path / "fraud" / "latest.html").is_file()

    def test_reports_a_configured_panel_that_has_no_window_yet(self, tmp_path):
        page = write(Memory(spec()), {"toxicity": spec()}, tmp_path, NOW)
        assert "No window has been opened yet." in page.read_text(encoding="utf-8")

    def test_the_same_day_again_replaces_the_page(self, tmp_path):
        write(Memory(spec()), None, tmp_path, NOW)
        page = write(quarter(), None, tmp_path, NOW)
        assert "Precision of nb" in page.read_text(encoding="utf-8")

    def test_a_failed_write_leaves_the_old_page_whole(self, tmp_path, monkeypatch):
        page = write(Memory(spec()), None, tmp_path, NOW)
        before = page.read_bytes()

        def full_disk(_handle):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full_disk)  # the draft is written by then, and not durable
        with pytest.raises(Unreachable, match="No space left on device"):
            write(quarter(), None, tmp_path, NOW)
        assert page.read_bytes() == before
        assert not list(tmp_path.rglob("*.tmp"))

    def test_no_panel_at_all_is_said_in_a_sentence(self, tmp_path):
        with pytest.raises(StratawatchError, match="there is no panel to report on"):
            write(Memory(spec()), {}, tmp_path, NOW)


class TestPictures:
    def test_are_drawn_only_when_asked_for(self, tmp_path):
        assert write_reports(quarter(), None, tmp_path, NOW).pictures == {"toxicity": ()}
        assert list(tmp_path.rglob("*.png")) == []
        (drawn,) = write_reports(quarter(), None, tmp_path, NOW, with_pictures=True).pictures.values()
        assert {one.path for one in drawn} == set(tmp_path.glob("toxicity/2026-03-23.pictures/*.png"))
        assert len(drawn) == 5

    def test_of_an_earlier_page_of_the_day_go(self, tmp_path):
        """They would show other figures than the page beside them."""
        write_reports(quarter(), None, tmp_path, NOW, with_pictures=True)
        write_reports(quarter(), None, tmp_path, NOW)
        assert not (tmp_path / "toxicity" / "2026-03-23.pictures").exists()
        assert (tmp_path / "toxicity" / "2026-03-23.html").exists()

    def test_that_cannot_be_written_are_said_in_a_sentence(self, tmp_path):
        (tmp_path / "toxicity").mkdir()
        (tmp_path / "toxicity" / "2026-03-23.pictures").write_text("in the way")
        with pytest.raises(Unreachable, match="the report could not be written to"):
            write_reports(quarter(), None, tmp_path, NOW, with_pictures=True)
