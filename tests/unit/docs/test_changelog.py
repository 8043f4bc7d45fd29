"""The changelog knows the version that is built."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_version_of_the_package_has_an_entry():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert any(heading.startswith((version, f"[{version}]")) for heading in headings)


def test_the_pins_with_a_ceiling_are_explained():
    decision = (ROOT / "docs/adr/0002-packaging.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    pins = [pin for extra in ("pipeline", "prefect") for pin in extras[extra]]
    for name in ("prefect", "fastapi", "sqlalchemy"):
        assert f"`{next(pin for pin in pins if pin.startswith(name))}`" in decision
