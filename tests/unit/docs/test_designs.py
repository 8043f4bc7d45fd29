"""The pages of designs: their examples run as they stand, and their tables of options are the designs' own."""

import contextlib
import io
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.core.designs import DESIGNS, design_class, design_named

ROOT = Path(__file__).parents[3]
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs/methods").glob("*.md"))
    if path.stem in DESIGNS
}
PAGED = pytest.mark.parametrize("name", PAGES)


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


@pytest.fixture(scope="module")
def notebook() -> dict[str, object]:
    """What the page about studies makes first: a frame, and the truth that people would see."""
    names: dict[str, object] = {}
    exec(blocks((ROOT / "docs/study.md").read_text(encoding="utf-8"), "python")[0], names)  # noqa: S102 - ours
    return names


def test_every_design_of_the_literature_has_a_page():
    assert set(PAGES) == {name for name in DESIGNS if design_class(name).paper}


@PAGED
def test_its_study_runs_to_the_end_and_tells_something(name, notebook):
    (code,) = (block for block in blocks(PAGES[name], "python") if "Study(" in block)
    names = dict(notebook)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)  # noqa: S102 - ours
    study = names["study"]
    assert repr(study).startswith("Study of ")
    assert f'design="{name}"' in code
    assert study.warnings
    assert study.ask() == []
    assert any(row.value is not None for row in study.estimates())


@PAGED
def test_its_panel_is_one_that_loads(name, tmp_path):
    """In the place of the README's design, without its goals and limits."""
    (lines,) = blocks(PAGES[name], "toml")
    wanted = tomllib.loads(lines)["panels"]["toxicity"]
    readme = blocks((ROOT / "README.md").read_text(encoding="utf-8"), "toml")[0]
    readme = re.sub(r"\n\[\[panels\.toxicity\.(goals|limits)\]\]\n(?:[^\[\n][^\n]*\n)*", "\n", readme)
    head, _, options = lines.replace("[panels.toxicity]\n", "").partition("[panels.toxicity.options]")
    text = readme.replace("[panels.toxicity]\n", f"[panels.toxicity]\n{head}", 1)
    path = tmp_path / "stratawatch.toml"
    path.write_text(f"{text}\n[panels.toxicity.options]\n{options}", encoding="utf-8")
    panel = load_configuration(path).panels["toxicity"]
    assert (panel.design, dict(panel.options)) == (name, wanted["options"])


@PAGED
def test_its_table_of_options_is_the_designs(name):
    table = PAGES[name].split("| option | default |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", table, re.MULTILINE)
    kind = design_named(name)
    assert [option for option, _ in rows] == [field.name for field in fields(kind)]
    for option, default in rows:
        value = getattr(kind, option)
        said = default.strip("`").strip('"')
        assert said == str(value) or (re.fullmatch(r"[\d.]+", said) and float(said) == value) or value in ("", None)
