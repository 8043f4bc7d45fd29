import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.random_numbers import digest, digest_prefixes


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


class TestDigestPrefixes:
    @given(st.lists(st.text(max_size=20), max_size=20))
    def test_are_the_leading_sixteen_digits_of_every_digest(self, items):
        assert digest_prefixes("seed", items).tolist() == [int(digest("seed", item)[:16], 16) for item in items]
