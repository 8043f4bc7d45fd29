"""The built pages: every link leads somewhere, nothing is fetched, and the API page has an example for every name."""

import doctest
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import stratawatch

ROOT = Path(__file__).parents[3]
NAMES = re.findall(r"^::: (stratawatch\S*)$", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.MULTILINE)
FETCHED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//", re.IGNORECASE)


def documented(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build pages as `make docs` does."""
    [command] = re.findall(r"-m (mkdocs build [^|]*?) 2>&1", read(ROOT / "Makefile"))
    return subprocess.run(
        [sys.executable, "-m", *command.split(), "--site-dir", folder, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The pages; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


class TestApiPage:
    def test_it_names_everything_that_the_package_offers(self):
        assert {name.rpartition(".")[2] for name in NAMES if name.count(".") == 1} == set(stratawatch.__all__)

    @pytest.mark.parametrize("name", NAMES)
    def test_every_name_has_an_example_that_is_true(self, name):
        one = documented(name)
        module = sys.modules[one.__module__]
        [found] = doctest.DocTestFinder(recurse=False).find(one, globs=dict(vars(module)))
        assert found.examples
        assert doctest.DocTestRunner().run(found).failed == 0

    def test_all_of_them_are_on_the_built_page(self, site):
        page = (site / "api.html").read_text(encoding="utf-8")
        places = {re.sub(r".*\.", "", place) for place in re.findall(r'<h3 id="(stratawatch[^"]+)"', page)}
        assert places == {name.rpartition(".")[2] for name in NAMES}


class TestSite:
    def test_every_page_is_there(self, site):
        pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
        pages = {path.with_name("index.html") if path.stem == "README" else path for path in pages}
        built = {path.relative_to(site) for path in site.rglob("*.html")}
        assert built == pages | {Path("404.html"), Path("CONTRIBUTING.html"), Path("CHANGELOG.html")}

    def test_nothing_is_fetched_from_elsewhere(self, site):
        pages = [path for path in site.rglob("*.html") if FETCHED.search(path.read_text(encoding="utf-8"))]
        assert pages == []
        assert not re.search(r"@import|url\([\"']?(https?:)?//", "".join(map(read, site.rglob("*.css"))))

    def test_a_diagram_is_a_table_and_asks_for_no_script(self, site):
        page = read(site / "states.html")
        assert "mermaid" not in page
        assert page.count("<table>") >= 3

    def test_a_link_that_leads_nowhere_fails(self, tmp_path):
        """With our settings, but for what is built."""
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/index.md").write_text("[gone](nowhere.md)")
        ours = f"INHERIT: {ROOT}/mkdocs.yml\ndocs_dir: docs\nnav: [index.md]\nhooks: []\nplugins: []\n"
        (tmp_path / "mkdocs.yml").write_text(ours)
        done = build(tmp_path / "site", "--config-file", str(tmp_path / "mkdocs.yml"))
        assert done.returncode == 1
        assert "contains a link 'nowhere.md', but the target is not found" in done.stderr

    def test_no_program_of_ours_is_among_them(self, site):
        assert not any(site.rglob("*.py"))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
