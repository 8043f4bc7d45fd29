from stratawatch.core.planning.looking_back import EarlierRounds


def rounds(asked: list[int]) -> EarlierRounds:
    return EarlierRounds(5, lambda place: asked.append(place) or f"round {place}")


def test_only_what_is_asked_about_is_worked_out():
    asked = []
    found = rounds(asked)
    assert (len(found), found[1], found[-1]) == (5, "round 1", "round 4")
    assert asked == [1, 4]


def test_slices_and_loops_are_those_of_a_list():
    every = [f"round {place}" for place in range(5)]
    for part in (slice(-3, None), slice(-9, None), slice(1, 4, 2), slice(0, 0)):
        assert rounds([])[part] == every[part]
    assert list(rounds([])) == every
    assert not EarlierRounds(0, str)
