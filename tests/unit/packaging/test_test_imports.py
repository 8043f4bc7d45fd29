"""Tests share through tests/support, never from one another; only tests of benchmarks import benchmarks."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3]
FILES = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py"))


def imported(path: Path) -> list[str]:
    """Every module that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return plain + [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]


def may_be_imported(module: str, *, by: Path) -> bool:
    """Support is everybody's; a conftest belongs to its folder, and benchmarks to their tests."""
    if module.startswith("benchmarks"):
        return any(by.is_relative_to(f"tests/{place}") for place in ("benchmarks", "drills/benchmarks", "long"))
    return not module.startswith("tests.") or module.startswith("tests.support") or module.endswith(".conftest")


def test_only_what_is_shared_is_imported():
    found = [(str(path), module) for path in FILES for module in imported(path)]
    assert [(path, module) for path, module in found if not may_be_imported(module, by=Path(path))] == []


def test_every_folder_of_tests_is_run_by_one_of_the_commands():
    """make test-all runs all of tests/ but four folders, so that nobody can forget a new one."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert (
        "-o testpaths=tests --ignore=tests/drills --ignore=tests/live --ignore=tests/long --ignore=tests/pooled $(ARGS)"
        in text
    )
    for tier in ("drills", "live", "long", "pooled"):
        assert f"tests/{tier}" in text.split(f"test-{tier}:", 1)[1].split("$(ARGS)")[0]
    steps = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert {"tested test-drills", "tested test-live", "tested test-pooled"} <= set(steps)
