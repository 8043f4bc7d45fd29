"""Every package that the lock installs has a licence that is allowed, and the SBOM names each."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from sys import modules

import pytest

ROOT = Path(__file__).parents[3]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def licences():
    spec = spec_from_file_location("licences", ROOT / ".ci/licences.py")
    modules["licences"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del modules["licences"]


def test_every_package_of_the_lock_is_listed_with_a_licence_that_is_allowed(licences):
    packages = licences.installed(licences.locked_names(LOCK))
    assert len(packages) > 150
    assert [one for one in packages if not one.is_allowed] == []


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("Artistic OR GPL", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-2.0-only) AND GPL-3.0-only", False),
        ("LGPL-3.0-only", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_what_is_allowed(licences, licence, allowed):
    assert licences.Package("some", "1", licence).is_allowed == allowed


def test_psycopg_alone_may_be_lgpl_and_the_documentation_says_so(licences):
    assert set(licences.EXCEPTIONS) == {"psycopg", "psycopg-binary"}
    assert licences.Package("psycopg", "3", "LGPL-3.0-only").is_allowed
    assert "LGPL" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_sbom_names_each_package_once_and_is_the_same_twice(licences):
    project = {"name": "stratawatch", "version": "1", "license": "Apache-2.0"}
    packages = [licences.Package("a", "1", "MIT"), licences.Package("b", "2", "BSD OR Apache-2.0")]
    document = licences.sbom(project, packages)
    assert document == licences.sbom(project, packages)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", document["serialNumber"])
    assert [one["purl"] for one in document["components"]] == ["pkg:pypi/a@1", "pkg:pypi/b@2"]
    assert document["components"][0]["licenses"] == [{"expression": "MIT"}]
    assert document["components"][1]["licenses"] == [{"license": {"name": "BSD OR Apache-2.0"}}]
