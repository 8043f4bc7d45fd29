import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.random_numbers import digest, digest_prefixes
from tests.support.draw_by_hand import uniform


class TestDigest:
    @pytest.mark.parametrize(
        ("seed", "item", "hexadecimal"),
        [  # printf '%s' 'seed:item' | md5sum
            ("s", "a1", "05ea4e70592ecde90d81ddefd46bc13f"),
            ("", "", "853ae90f0351324bd73ea615e6487517"),
            ("panel", "Ünï 🎈", "9522082846974f50642c9a49b4ef21bb"),
        ],
    )
    def test_is_md5_of_seed_colon_item_in_utf8(self, seed, item, hexadecimal):
        assert digest(seed, item) == hexadecimal

    def test_a_new_seed_draws_other_items(self):
        assert digest("2026", "a1") != digest("2027", "a1")

    @given(st.text(max_size=50), st.text(max_size=50))
    def test_is_lower_case_hex_for_any_text(self, seed, item):
        text = digest(seed, item)
        assert len(text) == 32
        assert set(text) <= set("0123456789abcdef")


class TestUniform:
    def test_reads_thirteen_digits(self):
        assert uniform("f" * 13 + "0" * 19) == 1 - 2**-52
        assert uniform("0" * 13 + "f" * 19) == 0.0

    @given(st.lists(st.text(max_size=20), min_size=2, max_size=20, unique=True))
    def test_orders_items_as_their_digests_do(self, items):
        digests = sorted(digest("seed", item) for item in items)
        assert [uniform(d) for d in digests] == sorted(uniform(d) for d in digests)


class TestHeads:
    @given(st.lists(st.text(max_size=20), max_size=20))
    def test_are_the_leading_sixteen_digits_of_every_digest(self, items):
        assert digest_prefixes("seed", items).tolist() == [int(digest("seed", item)[:16], 16) for item in items]
