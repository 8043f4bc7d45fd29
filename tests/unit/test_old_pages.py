"""Pages that are older than their periods go, and nothing else."""

from datetime import UTC, datetime

from stratawatch.adapters.old_pages import drop_old_pages
from stratawatch.folder_names import slug

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JULY = datetime(2026, 7, 1, tzinfo=UTC)


def test_only_dated_pages_before_the_moment_are_deleted(tmp_path):
    old = ["spam/2026-04-30.html", "checks/spam/20260629T000000Z/profile.html"]
    kept = [
        "spam/2026-05-01.html",
        "spam/latest.html",
        "spam/2026-99-99.html",
        "spam/notes-2026-01-01.html",
        "index.html",
        "checks/spam/20260701T000000Z/profile.html",
        "checks/spam/mine/profile.html",
        "checks/2020-01-01.txt",
    ]
    for name in (*old, *kept):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert drop_old_pages(tmp_path, "checks", MAY, JULY) == 2
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(kept)
    assert drop_old_pages(tmp_path, "checks", MAY, JULY) == 0


def test_a_folder_that_is_not_there_holds_nothing(tmp_path):
    assert drop_old_pages(tmp_path / "nowhere", "checks", MAY, JULY) == 0


def test_what_a_link_points_to_stays(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "page.html").write_text("")
    (tmp_path / "reports" / "checks" / "spam").mkdir(parents=True)
    (tmp_path / "reports" / "checks" / "spam" / "20200101T000000Z").symlink_to(tmp_path / "elsewhere")
    assert drop_old_pages(tmp_path / "reports", "checks", MAY, MAY) == 1
    assert (tmp_path / "elsewhere" / "page.html").exists()


def test_the_pictures_of_a_page_go_with_it(tmp_path):
    old, kept = "spam/2026-04-30.pictures", "spam/2026-05-01.pictures"
    others = ["spam/2026-99-99.pictures", "spam/mine.pictures", "checks/2020-01-01-pictures"]
    for folder in (old, kept, *others):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "overview.png").write_text("")
    (tmp_path / "spam" / "2026-04-30.html").write_text("")
    assert drop_old_pages(tmp_path, "checks", MAY, MAY) == 1
    left = {path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.png")}
    assert left == {kept, *others}
    assert not (tmp_path / old).exists()


def test_pictures_without_their_page_go_too_and_not_what_a_link_leads_to(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.png").write_text("")
    (tmp_path / "reports" / "spam").mkdir(parents=True)
    (tmp_path / "reports" / "spam" / "2020-01-01.pictures").symlink_to(tmp_path / "elsewhere")
    drop_old_pages(tmp_path / "reports", "checks", MAY, MAY)
    assert list((tmp_path / "reports" / "spam").iterdir()) == []
    assert (tmp_path / "elsewhere" / "mine.png").exists()


def test_no_panel_can_be_named_like_a_folder_of_pictures():
    assert slug("2020-01-01.pictures") != "2020-01-01.pictures"
