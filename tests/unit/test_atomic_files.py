import os

import pytest

from stratawatch.atomic_files import replace_text


class TestReplaceText:
    def test_makes_the_folder_and_leaves_nothing_else_behind(self, tmp_path):
        replace_text(tmp_path / "deep" / "page.html", "new")
        assert [path.name for path in (tmp_path / "deep").iterdir()] == ["page.html"]
        assert (tmp_path / "deep" / "page.html").read_text(encoding="utf-8") == "new"

    def test_a_reader_meets_the_old_file_until_the_new_one_is_whole(self, tmp_path, monkeypatch):
        page, met, replace = tmp_path / "page.html", [], os.replace
        page.write_text("old", encoding="utf-8")

        def watched(draft, path):
            met.append((page.read_text(encoding="utf-8"), draft.read_text(encoding="utf-8")))
            replace(draft, path)

        monkeypatch.setattr(os, "replace", watched)
        replace_text(page, "new")
        assert met == [("old", "new")]
        assert page.read_text(encoding="utf-8") == "new"

    def test_a_failure_keeps_the_old_file_and_no_draft(self, tmp_path, monkeypatch):
        def full(draft, path):
            raise OSError(28, "No space left on device")

        page = tmp_path / "page.html"
        page.write_text("old", encoding="utf-8")
        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            replace_text(page, "new")
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
        assert page.read_text(encoding="utf-8") == "old"

    def test_others_may_read_it(self, tmp_path):
        replace_text(tmp_path / "page.html", "new")
        (tmp_path / "usual").write_text("", encoding="utf-8")
        assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "usual").stat().st_mode

    def test_half_a_character_is_spelled_out(self, tmp_path):
        replace_text(tmp_path / "page.html", "\ud800")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == "\\ud800"
