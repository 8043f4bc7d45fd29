"""The page about studies: its code runs as it stands, and what it shows is what comes out.

Tables are held to their columns and to the first words of their lines: numbers move when the method is tuned.
`python -m tests.unit.docs.test_study_page` writes the tables anew.
"""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "study.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```\n", re.DOTALL)


def played() -> list[tuple[str, str]]:
    """Every output that the page shows, beside what the code before it prints."""
    names: dict[str, object] = {}
    shown, printed = [], ""
    for kind, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(content, PAGE.name, "exec"), names)  # noqa: S102 - the page is ours
            printed = out.getvalue()
        else:
            shown.append((content, printed))
    return shown


def gist(output: str) -> list[str]:
    """A table's columns and the two first words of its lines; any other output as it is."""
    lines = output.strip().splitlines()
    if len(lines) < 2:
        return lines
    return [" ".join(lines[0].split()), *(" ".join(line.split()[:2]) for line in lines[1:])]


@pytest.fixture(scope="module")
def outputs():
    return played()


def test_the_page_shows_what_its_code_prints(outputs):
    assert [gist(shown) for shown, _ in outputs] == [gist(printed) for _, printed in outputs]


def test_it_is_about_something(outputs):
    assert len(outputs) == 10
    assert "undefined" not in outputs[0][1]
    assert outputs[0][1].startswith("classifier  metric")


def test_all_code_is_formatted_python():
    for kind, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            assert all(len(line) <= 120 for line in content.splitlines())


if __name__ == "__main__":
    fresh = iter(played())
    text = BLOCK.sub(
        lambda found: found[0] if found[1] == "python" else f"```text\n{next(fresh)[1].strip()}\n```\n",
        PAGE.read_text(encoding="utf-8"),
    )
    PAGE.write_text(text, encoding="utf-8")
