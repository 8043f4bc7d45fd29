import re
import time
from collections.abc import Callable
from pkgutil import resolve_name

from stratawatch.adapters.checks import REGISTRY
from stratawatch.adapters.checks.great_expectations_check import GreatExpectationsCheck
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from tests.support.predictions.panels import WINDOW, panel

PANEL = panel(columns=Columns("id", "ts", ("body",)))
Items = Callable[..., list[CandidateItem]]
MakeProfile = Callable[..., InputProfile]


class TestAPageThatCannotBeWritten:
    def test_is_a_warning_and_holds_nothing_up(self, tmp_path, profile_of, items_of):
        (tmp_path / "report").write_text("a file where the folder should be")
        check = GreatExpectationsCheck(tmp_path / "report" / "checks", root=tmp_path / "report")
        for report in (check.profile(PANEL, WINDOW, profile_of()), check.candidates(PANEL, WINDOW, items_of())):
            assert report.passed
            assert report.docs is None
            assert "could not be written below" in report.failures[-1]


class TestPages:
    def test_nobody_else_may_read_them(self, tmp_path, profile_of):
        check = GreatExpectationsCheck(tmp_path / "report" / "checks", root=tmp_path / "report")
        page = tmp_path / "report" / str(check.profile(PANEL, WINDOW, profile_of()).docs)
        assert f"{page.stat().st_mode & 0o777:o}" == "600"
        assert f"{(tmp_path / 'report').stat().st_mode & 0o777:o}" == "700"

    def test_each_check_keeps_a_page_under_panel_and_window(self, tmp_path, profile_of, items_of):
        check = GreatExpectationsCheck(tmp_path / "report" / "checks", root=tmp_path / "report")
        assert check.profile(PANEL, WINDOW, profile_of()).docs == "checks/posts/20260105T000000Z/profile.html"
        docs = check.candidates(PANEL, WINDOW, items_of()).docs
        assert docs == "checks/posts/20260105T000000Z/candidates.html"
        page = (tmp_path / "report" / docs).read_text(encoding="utf-8")
        assert "values must match this regular expression" in page
        assert "Passed" in page

    def test_a_refusal_stands_on_its_page(self, tmp_path, profile_of):
        report = GreatExpectationsCheck(tmp_path).profile(PANEL, WINDOW, profile_of({"invalid": 500}, bad_rows=500))
        page = (tmp_path / str(report.docs)).read_text(encoding="utf-8")
        assert "Refused" in page
        assert "500 of 1,000 rows (50.0%) cannot be used" in page
        assert "60 called positive, 0 silent, 500 unreadable" in page

    def test_a_page_fetches_and_runs_nothing(self, tmp_path, items_of):
        evil = "<script>alert(1)</script><img src=http://example.org/x>"
        items = items_of(item=evil, copies=2)
        items.append(items[0])
        report = GreatExpectationsCheck(tmp_path).candidates(panel(name=evil, columns=PANEL.columns), WINDOW, items)
        page = (tmp_path / str(report.docs)).read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        assert not re.search(r"<(script|link|img|iframe|object)\b", page)
        assert not re.search(r"<[^>]*(src|href)\s*=\s*[\"']?https?:", page)
        assert "&lt;script&gt;alert(1)" in page

    def test_names_of_columns_and_classifiers_are_only_text(self, tmp_path, profile_of, items_of):
        evil = "<script>alert(1)</script>"
        spec = panel((ClassifierSpec(evil, call="flag"),), columns=Columns("id", "ts", (evil,)))
        check = GreatExpectationsCheck(tmp_path)
        column = profile_of().columns["lr"]
        reports = [
            check.profile(spec, WINDOW, profile_of(columns={evil: column})),
            check.candidates(spec, WINDOW, items_of()),
        ]
        for report in reports:
            assert "<script" not in (tmp_path / str(report.docs)).read_text(encoding="utf-8")

    def test_payload_never_enters_a_page(self, tmp_path, items_of):
        report = GreatExpectationsCheck(tmp_path).candidates(PANEL, WINDOW, items_of(payload={"body": "a secret"}))
        assert "a secret" not in (tmp_path / str(report.docs)).read_text(encoding="utf-8")

    def test_a_refused_profile_removes_the_candidates_page_of_an_earlier_attempt(self, tmp_path, profile_of, items_of):
        check = GreatExpectationsCheck(tmp_path)
        old = tmp_path / str(check.candidates(PANEL, WINDOW, items_of()).docs)
        assert old.exists()
        check.profile(PANEL, WINDOW, profile_of(rows=0))
        assert not old.exists()

    def test_running_again_replaces_and_leaves_nothing_else(self, tmp_path, profile_of):
        check = GreatExpectationsCheck(tmp_path)
        for _ in range(3):
            docs = check.profile(PANEL, WINDOW, profile_of()).docs
        assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()] == [docs]

    def test_panels_that_look_alike_keep_apart_and_stay_inside(self, tmp_path, profile_of):
        check = GreatExpectationsCheck(tmp_path)
        names = ("a b", "a/b", "../a b", "..", "日本")
        docs = {str(check.profile(panel(name=name), WINDOW, profile_of()).docs) for name in names}
        assert len(docs) == len(names)
        assert all((tmp_path / one).resolve().is_relative_to(tmp_path.resolve()) for one in docs)

    def test_both_checks_of_a_cycle_stay_under_two_seconds(self, tmp_path, profile_of, items_of):
        check = GreatExpectationsCheck(tmp_path)
        items = items_of(4000)
        check.profile(PANEL, WINDOW, profile_of())
        start = time.process_time()
        check.profile(PANEL, WINDOW, profile_of())
        check.candidates(PANEL, WINDOW, items)
        assert time.process_time() - start < 2


class TestRegistry:
    def test_every_kind_loads(self):
        for entry in REGISTRY.values():
            assert {"profile", "candidates", "describe"} <= set(dir(resolve_name(entry)))
