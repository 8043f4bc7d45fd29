"""`check` says of every wrong or unusual input and wish what the page about them promises."""

import pytest

from tests.support.configurations import changed
from tests.support.unusual_inputs import UNUSUAL, UnusualInput
from tests.unit.cli.conftest import CONFIG, ROWS


@pytest.mark.parametrize("case", UNUSUAL, ids=lambda case: case.typed)
def test_is_told(request, case: UnusualInput):
    home = request.getfixturevalue("judged" if case.judged else "fresh")
    home.columns = 100_000
    home.config.write_text(changed(CONFIG, *case.changes) + case.more, encoding="utf-8")
    home.predict(case.query(ROWS))
    if case.prepare is not None:
        case.prepare(home.folder)
    out = home.run("check", "--now", case.now, code=0 if case.fine else 1).stdout
    assert case.said in " ".join(out.split())
