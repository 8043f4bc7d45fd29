"""The versions that were paid for are the ones that are installed, and the lock knows them all."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()


def wanted() -> list[Requirement]:
    groups = [
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
        *PROJECT["dependency-groups"].values(),
    ]
    lines = [Requirement(line) for group in groups for line in group]
    return [line for line in lines if line.name != "stratawatch"]  # extras of its own, which are among the groups


def locked() -> dict[str, str]:
    """Name and version of every pin."""
    return {
        canonicalize_name(name): pin
        for name, pin in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", LOCK, flags=re.MULTILINE)
    }


class TestInstalled:
    @pytest.mark.parametrize("requirement", wanted(), ids=str)
    def test_every_declared_dependency_is_installed_as_pinned(self, requirement):
        assert requirement.specifier.contains(version(requirement.name))

    @pytest.mark.parametrize("rule", ["prefect>=3.8.8,<3.9", "fastapi<0.151", "sqlalchemy>=2.0,<2.1"])
    def test_ceilings_that_break_prefect_when_lifted_stay(self, rule):
        requirement = Requirement(rule)
        assert requirement.specifier.contains(version(requirement.name))
        assert requirement.specifier.contains(locked()[requirement.name])

    @pytest.mark.parametrize("name", ["prefect", "fastapi", "sqlalchemy"])
    def test_the_ceilings_are_declared_and_not_only_locked(self, name):
        [declared] = [rule for rule in wanted() if rule.name == name]
        assert any(part.operator == "<" for part in declared.specifier)


class TestLock:
    @pytest.mark.parametrize("requirement", wanted(), ids=str)
    def test_every_declared_dependency_is_locked_at_a_version_it_allows(self, requirement):
        assert requirement.specifier.contains(locked()[canonicalize_name(requirement.name)])

    def test_every_pin_has_a_hash(self):
        pins = re.split(r"\n(?=\S)", LOCK.strip())
        assert len(pins) == len(set(pins)) > 100
        assert [pin.splitlines()[0] for pin in pins if "--hash=sha256:" not in pin] == []

    def test_it_names_no_index_and_no_place_on_a_machine(self):
        assert [line for line in LOCK.splitlines() if "://" in line or "index" in line.split("==")[0]] == []
        assert not re.search(r"(^|[\s=])(/|\./|~|file:|-e\b|-f\b|--find-links|--index-url)", LOCK, flags=re.MULTILINE)
