"""What built pages need beyond docs/: files that lie elsewhere, every decision in the menu, diagrams as tables.

The diagrams are Mermaid, which GitHub draws. In a built page its script would come from a foreign server, three
megabytes of it, so that the moves of a diagram become a table there.
"""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
OUTSIDE = ("CONTRIBUTING.md", "CHANGELOG.md", "stratawatch/config/template.toml")
_DIAGRAM = re.compile(r"```mermaid\n(stateDiagram-v2\n.*?)```", re.DOTALL)
_MOVE = re.compile(r"^\s*(\S+) --> (\S+?)(?::\s*(.*))?$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List every decision in the menu, in the order of their numbers."""
    decisions = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs/adr").glob("0*.md"))
    for section in config.nav or ():
        for pages in section.values() if isinstance(section, dict) else ():
            for page in pages:
                if isinstance(page, dict) and "Decisions" in page:
                    page["Decisions"] += decisions
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files that lie outside of docs/; their links are seen from there."""
    for name in OUTSIDE:
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links that lead out of docs/, and diagrams of states."""
    for name in OUTSIDE:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    return _DIAGRAM.sub(lambda diagram: moves_as_table(diagram[1]), markdown)


def moves_as_table(diagram: str) -> str:
    r"""The moves of a state diagram, a row each.

    >>> print(moves_as_table("stateDiagram-v2\n  [*] --> open\n  open --> frozen: counted\n  frozen --> [*]\n"))
    | from | to | when |
    |---|---|---|
    | | `open` | it begins |
    | `open` | `frozen` | counted |
    | `frozen` | | it ends |
    """
    rows = ["| from | to | when |", "|---|---|---|"]
    for old, new, when in _MOVE.findall(diagram):
        said = when or ("it begins" if old == "[*]" else "it ends")
        start, end = (" " if state == "[*]" else f" `{state}` " for state in (old, new))
        rows.append(f"|{start}|{end}| {said} |")
    return "\n".join(rows)
