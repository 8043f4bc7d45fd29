"""Lists the licences of what requirements.lock installs, writes an SBOM of CycloneDX, and fails on one not allowed.

`python .ci/licences.py sbom.cdx.json` reads the metadata of the environment that it runs in. It is written here, for
tools that make an SBOM bring a dozen packages into the lock that they describe, and know nothing that is allowed.
"""

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]

ALLOWED: Final = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0", "MIT-CMU"}
    | {"MPL-2.0", "PSF-2.0", "Zlib", "Artistic", "BSD"}
)
"""SPDX ids, and two names that do not say which of several licences. MPL-2.0 binds changes of its own files only."""
EXCEPTIONS: Final[Mapping[str, str]] = {
    "psycopg": "LGPL-3.0-only",
    "psycopg-binary": "LGPL-3.0-only",
}
"""Packages that may have one more. psycopg is only in the extra `postgres`, imported as it is and never changed."""

_SPELLINGS: Final[Mapping[str, str]] = {
    "MIT License": "MIT",
    "MIT Licence": "MIT",
    "MIT license": "MIT",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Artistic License": "Artistic",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU General Public License (GPL)": "GPL",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
}


@dataclass(frozen=True)
class Package:
    """An installed package with its licence, as an SPDX expression where its metadata allow that."""

    name: str
    version: str
    licence: str

    @property
    def is_allowed(self) -> bool:
        """Whether every licence of its expression is allowed, or one of those that it may be chosen from."""
        allowed = {*ALLOWED, EXCEPTIONS.get(self.name, "MIT")}
        ids = set(re.findall(r"[\w.+-]+", self.licence)) - {"AND", "OR", "WITH"}
        is_choice = " OR " in self.licence and " AND " not in self.licence
        return bool(ids & allowed) if is_choice else bool(ids) and ids <= allowed


def locked_names(lock: str) -> list[str]:
    """The packages of a lock that are for this machine, by their names."""
    lines = re.findall(r"^([A-Za-z0-9._-]+==[^\\\n]+)", lock, flags=re.MULTILINE)
    pins = [Requirement(line.strip()) for line in lines]
    return sorted({canonicalize_name(pin.name) for pin in pins if pin.marker is None or pin.marker.evaluate()})


def licence_of(facts: PackageMetadata) -> str:
    """The licence in a package's metadata; "unknown" where they name none."""
    every: Mapping[str, Any] = facts.json
    if expression := every.get("license_expression"):
        return str(expression)
    text = str(every.get("license", "")).strip()
    if re.fullmatch(r"[\w.+-]+( (AND|OR) [\w.+-]+)*", text) and text not in ("UNKNOWN", "BSD"):
        return text
    classifiers = [line.split(" :: ")[-1] for line in every.get("classifier", ()) if line.startswith("License ::")]
    named = [_SPELLINGS.get(name, name.replace(" ", "-")) for name in classifiers if name != "OSI Approved"]
    return " OR ".join(dict.fromkeys(named)) or _SPELLINGS.get(text, "unknown")


def installed(names: list[str]) -> list[Package]:
    """The packages with version and licence. Raises SystemExit where one is not installed."""
    try:
        facts = {name: metadata(name) for name in names}
    except PackageNotFoundError as missing:
        raise SystemExit(f"{missing} is in requirements.lock and not installed; run make to set up .venv") from None
    return [Package(name, found["Version"], licence_of(found)) for name, found in facts.items()]


def sbom(project: Mapping[str, Any], packages: list[Package]) -> dict[str, Any]:
    """The document; the same packages make the same one, so that two can be compared."""
    name, version = project["name"], project["version"]
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{one.name}@{one.version}",
            "name": one.name,
            "version": one.version,
            "purl": f"pkg:pypi/{one.name}@{one.version}",
            "licenses": [{"expression": one.licence} if _is_spdx(one.licence) else {"license": {"name": one.licence}}],
        }
        for one in packages
    ]
    main = {
        "type": "application",
        "bom-ref": f"pkg:pypi/{name}@{version}",
        "name": name,
        "version": version,
        "licenses": [{"expression": project["license"]}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, json.dumps(components))}",
        "version": 1,
        "metadata": {"component": main},
        "components": components,
    }


def _is_spdx(licence: str) -> bool:
    return not set(re.findall(r"[\w.+-]+", licence)) & {"Artistic", "BSD", "GPL", "unknown"}


def main() -> int:
    """Write the SBOM, list what is not permissive, and say what is not allowed."""
    packages = installed(locked_names((ROOT / "requirements.lock").read_text(encoding="utf-8")))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sbom(project, packages), indent=1) + "\n", encoding="utf-8")
    for one in packages:
        sys.stdout.write(f"{one.name} {one.version}: {one.licence}\n")
    for one in packages:
        if one.name in EXCEPTIONS:
            sys.stdout.write(f"note: {one.name} is {one.licence}; only the extra `postgres` installs it\n")
    refused = [one for one in packages if not one.is_allowed]
    for one in refused:
        sys.stderr.write(f"{one.name} {one.version} has a licence that is not allowed: {one.licence}\n")
    sys.stdout.write(f"{path}: {len(packages)} packages\n")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
