from dataclasses import dataclass, replace

from stratawatch.core.memo import IdentityMemo


@dataclass(frozen=True)
class Named(IdentityMemo):
    name: str


def test_a_thing_is_made_once_for_each_name_and_companion():
    one, first, second, made = IdentityMemo(), object(), object(), []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    asked = [("rates", first), ("rates", first), ("rates", second), ("sums", second), ("rates", second)]
    assert [one.memoised(what, beside, make) for what, beside in asked] == [0, 0, 1, 2, 1]


def test_a_copy_that_differs_remembers_nothing():
    made = Named("a")
    assert made.memoised("number", made, lambda: 1) == 1
    assert replace(made, name="b").memoised("number", made, lambda: 2) == 2
