from datetime import UTC, datetime

import pytest

from stratawatch.datetimes import moment
from stratawatch.errors import StratawatchError

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_words_and_moments_are_the_same_moment():
    assert moment("2026-06-01T14:00:00+02:00", "it") == moment(NOON, "it") == NOON
    assert moment(None, "it") is None


@pytest.mark.parametrize("said", ["", "June", "2026-06-01", NOON.replace(tzinfo=None), 5, NOON.date()])
def test_what_is_no_moment_is_one_sentence(said):
    with pytest.raises(
        StratawatchError, match=r"^the end of it is not a moment with its offset from UTC;.* write 2026"
    ):
        moment(said, "the end of it")
