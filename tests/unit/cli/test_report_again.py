"""The command in a page's footer makes the same page again, byte for byte, until the store has something newer."""

import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

NOW = "2026-01-12T10:00:00+00:00"


def page_of(home):
    return (home.folder / "reports" / "spam" / "latest.html").read_bytes()


def again(page: bytes) -> list[str]:
    """The arguments of the command, as the page has it."""
    (said,) = re.findall(r"<code>(stratawatch report [^<]+)</code> makes this page again", page.decode())
    program, *arguments = shlex.split(unescape(said))
    assert program == "stratawatch"
    return arguments


@pytest.mark.parametrize("moment", [(), ("--now", NOW), ("--now", "2026-01-12T23:30:15.000001-07:00")])
def test_the_same_store_gives_the_same_bytes(judged, moment):
    first = judged.json("report", *moment)
    page = page_of(judged)
    dated = Path(first["path"])
    assert dated.read_bytes() == page
    dated.unlink()
    judged.run("report", "--now", "2027-06-01T00:00:00+00:00")
    assert page_of(judged) != page
    assert judged.json(*again(page))["path"]
    assert page_of(judged) == page


def test_a_later_revision_gives_another_page(judged):
    judged.run("report", "--now", NOW)
    page = page_of(judged)
    line, *_ = judged.json("labels", "export")["labels"]
    changed = judged.folder / "changed.jsonl"
    changed.write_text(json.dumps({**line, "value": "no" if line["value"] == "yes" else "yes"}))
    judged.run("labels", "import", str(changed))
    judged.run("advance", "--now", "2026-01-12T11:00:00+00:00")
    judged.run(*again(page))
    assert b"Revision 1 of" in page
    assert b"Revision 2 of" in page_of(judged)
    judged.run(*again(page_of(judged)))
    assert b"Revision 2 of" in page_of(judged)
