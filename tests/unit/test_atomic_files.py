import os

import pytest

from stratawatch.atomic_files import PRIVATE, create_file, make_folder, replace_file, replace_text


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

    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
    def test_what_is_no_file_is_never_replaced(self, tmp_path, make):
        make(tmp_path / "there")
        kind = (tmp_path / "there").lstat().st_mode
        with pytest.raises(FileExistsError, match="never replaced; name another file"):
            replace_text(tmp_path / "there", "new")
        assert (tmp_path / "there").lstat().st_mode == kind
        assert [path.name for path in tmp_path.iterdir()] == ["there"]

    def test_a_planted_link_is_replaced_itself(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to("pipe")
        replace_text(tmp_path / "link", "new")
        assert (tmp_path / "link").read_text(encoding="utf-8") == "new"
        assert not (tmp_path / "link").is_symlink()
        assert (tmp_path / "pipe").is_fifo()

    def test_others_may_read_it(self, tmp_path):
        replace_text(tmp_path / "page.html", "new")
        (tmp_path / "usual").write_text("", encoding="utf-8")
        assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "usual").stat().st_mode

    def test_half_a_character_is_spelled_out(self, tmp_path):
        replace_text(tmp_path / "page.html", "\ud800")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == "\\ud800"


def mode_of(path):
    return f"{path.stat().st_mode & 0o7777:o}"


@pytest.fixture
def open_umask():
    before = os.umask(0o000)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
class TestModes:
    def test_new_folders_and_files_get_the_mode_whatever_the_umask(self, tmp_path):
        replace_file(tmp_path / "a" / "b" / "page", b"new", mode=PRIVATE)
        create_file(tmp_path / "a" / "other", b"new", mode=0o2770)
        assert [mode_of(tmp_path / name) for name in ("a", "a/b", "a/b/page", "a/other")] == [
            "700",
            "700",
            "600",
            "660",
        ]
        os.umask(0o077)
        replace_file(tmp_path / "shared" / "page", b"new", mode=0o2770)
        assert [mode_of(tmp_path / name) for name in ("shared", "shared/page")] == ["2770", "660"]

    def test_those_that_are_there_keep_theirs(self, tmp_path):
        (tmp_path / "there").mkdir(mode=0o755)
        (tmp_path / "there" / "page").write_bytes(b"old")
        (tmp_path / "there" / "page").chmod(0o644)
        replace_file(tmp_path / "there" / "page", b"new", mode=PRIVATE)
        assert [mode_of(tmp_path / name) for name in ("there", "there/page")] == ["755", "644"]
        assert (tmp_path / "there" / "page").read_bytes() == b"new"

    def test_without_one_the_umask_decides(self, tmp_path):
        os.umask(0o022)
        replace_file(tmp_path / "a" / "page", b"new")
        assert [mode_of(tmp_path / name) for name in ("a", "a/page")] == ["755", "644"]

    def test_a_file_in_the_place_of_a_folder_is_an_error(self, tmp_path):
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(OSError, match=r"exists|Not a directory"):
            make_folder(tmp_path / "file")
