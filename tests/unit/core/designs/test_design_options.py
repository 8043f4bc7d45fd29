from dataclasses import dataclass
from typing import ClassVar

import pytest

from stratawatch.core.designs import design_named
from stratawatch.core.designs.design_options import design_with_options
from stratawatch.core.designs.joint import JointDesign
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class Guess(JointDesign):
    name: ClassVar[str] = "guess"

    word: str = "a"
    count: int = 2
    share: float | None = None
    loud: bool = False


def test_options_are_the_fields_of_the_class():
    assert design_with_options(Guess, {"word": "b", "count": 3, "share": 1, "loud": True}) == Guess(
        "b", 3, 1.0, loud=True
    )
    assert design_with_options(Guess, {}) == Guess()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"words": "b"}, "no option 'words'; expected one of word, count, share, loud"),
        ({"count": 2.5}, "option 'count' of design = 'guess' cannot be read; expected a whole number; got 2.5"),
        ({"count": True}, "expected a whole number; got True"),
        ({"share": "x"}, "expected a number; got 'x'"),
        ({"share": None}, "expected a number; got None"),
        ({"loud": 1}, "expected true or false; got 1"),
    ],
)
def test_what_is_no_option_is_refused(options, said):
    with pytest.raises(StratawatchError, match=said):
        design_with_options(Guess, options)


@pytest.mark.parametrize("name", ["joint", "srs"])
def test_some_designs_have_none(name):
    with pytest.raises(StratawatchError, match=f"design = '{name}' has no option 'bins'; expected no options"):
        design_named(name, {"bins": 3})


def test_an_old_name_of_an_option_is_still_read():
    """Panels and studies that were saved before hold it."""
    assert design_named("kumar", {"doubt": 0.5}) == design_named("kumar", {"pseudo_labels": 0.5})
