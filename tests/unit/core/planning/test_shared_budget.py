"""One budget shared out over claims: floors, needs, left-overs, in that order, and the same whoever goes first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.planning.shared_budget import Claim, share_out


def three(**risky) -> list[Claim]:
    """Three claims that are alike, but for what is said of the first."""
    return [Claim(name, 100, 300, 600, **(risky if name == "a" else {})) for name in "abc"]


@st.composite
def any_claims(draw) -> list[Claim]:
    number = draw(st.integers(1, 5))
    claims = []
    for place in range(number):
        most = draw(st.integers(10, 80))
        floor, need = draw(st.integers(0, most)), draw(st.integers(0, 120))
        claims.append(Claim(f"c{place}", floor, need, most, draw(st.integers(0, 1)), at_risk=draw(st.booleans())))
    return claims


class TestSharingOut:
    @pytest.mark.parametrize(
        ("labels", "claims", "shares"),
        [
            (900, three(), [300, 300, 300]),
            (901, three(), [301, 300, 300]),
            (902, three(), [301, 301, 300]),
            (700, three(at_risk=True), [300, 200, 200]),
            (700, three(priority=1), [300, 200, 200]),
            (1000, three(at_risk=True), [400, 300, 300]),
            (5000, three(), [600, 600, 600]),
            (250, three(at_risk=True), [100, 75, 75]),
            (0, three(), [0, 0, 0]),
            (-5, three(), [0, 0, 0]),
        ],
    )
    def test_gives_floors_then_needs_then_what_is_left(self, labels, claims, shares):
        assert list(share_out(labels, claims).values()) == shares

    def test_puts_a_priority_before_a_risk(self):
        claims = [Claim("dear", 10, 90, 90, priority=1), Claim("risky", 10, 90, 90, at_risk=True)]
        assert share_out(100, claims) == {"dear": 90, "risky": 10}

    def test_gives_nobody_anything_where_there_is_nobody(self):
        assert share_out(100, []) == {}

    @given(st.integers(0, 500), any_claims())
    def test_stays_within_the_budget_the_floors_and_each_ones_most(self, labels, claims):
        shares = share_out(labels, claims)
        assert sum(shares.values()) == min(labels, sum(one.most for one in claims))
        assert all(0 <= shares[one.name] <= one.most for one in claims)
        if sum(one.floor for one in claims) <= labels:
            assert all(shares[one.name] >= one.floor for one in claims)

    @given(st.integers(0, 500), any_claims(), st.randoms(use_true_random=False))
    def test_is_the_same_whoever_is_decided_first(self, labels, claims, random):
        together, one_by_one, left, waiting = share_out(labels, claims), {}, labels, list(claims)
        random.shuffle(waiting)
        while waiting:
            share = share_out(left, waiting)[waiting[0].name]
            one_by_one[waiting.pop(0).name] = share
            left -= share
        assert one_by_one == together
