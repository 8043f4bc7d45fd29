"""What the wheel holds is what the folders hold."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[3]
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def folders_with_code() -> set[str]:
    return {
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in (ROOT / "stratawatch").rglob("*.py")
        if "__pycache__" not in file.parts
    }


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> set[str]:
    """Names in a wheel that is built from a copy, so that no build folder is left behind."""
    copy = tmp_path_factory.mktemp("source")
    for folder in ("stratawatch", "sql"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, copy / file)
    build = "import setuptools.build_meta as backend; print(backend.build_wheel('.'))"
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True, timeout=120)
    [built] = copy.glob("*.whl")
    with ZipFile(built) as archive:
        return set(archive.namelist())


class TestPackages:
    def test_the_list_is_the_folders_that_hold_code(self):
        assert set(SETUP["packages"]) - {"stratawatch.sql"} == folders_with_code()

    def test_no_package_is_listed_twice(self):
        assert len(SETUP["packages"]) == len(set(SETUP["packages"]))

    def test_every_folder_with_code_is_a_package(self):
        assert [
            name for name in folders_with_code() if not (ROOT / name.replace(".", "/") / "__init__.py").exists()
        ] == []


class TestWheel:
    def test_it_holds_every_module_of_the_package(self, wheel):
        modules = {
            file.relative_to(ROOT).as_posix()
            for file in (ROOT / "stratawatch").rglob("*.py")
            if "__pycache__" not in file.parts
        }
        assert modules - wheel == set()

    def test_it_holds_the_sql_that_the_store_and_the_sources_read(self, wheel):
        texts = {
            f"stratawatch/{file.relative_to(ROOT).as_posix()}"
            for file in (ROOT / "sql").rglob("*")
            if file.suffix in {".sql", ".py", ".mako"} and "__pycache__" not in file.parts
        }
        assert any(name.endswith(".sql") for name in texts)
        assert texts - wheel == set()

    def test_it_holds_the_type_marker_and_every_data_file(self, wheel):
        data = {
            file.relative_to(ROOT).as_posix()
            for file in (ROOT / "stratawatch").rglob("*")
            if file.is_file() and file.suffix not in {".py", ".pyc"}
        }
        assert "stratawatch/py.typed" in data
        assert data - wheel == set()

    def test_it_holds_the_licence(self, wheel):
        assert [name for name in wheel if name.endswith(".dist-info/licenses/LICENSE")]

    def test_it_holds_nothing_else(self, wheel):
        assert {name.split("/")[0].split("-")[0] for name in wheel} == {"stratawatch"}
