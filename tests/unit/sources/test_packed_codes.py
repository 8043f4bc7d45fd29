import re

import numpy as np
import pytest

from stratawatch.adapters.sources import packed_codes


def random_patterns(letters, rows=200):
    rng = np.random.default_rng(letters)
    return ["".join(row) for row in rng.choice(list("01-!"), size=(rows, letters))]


@pytest.mark.parametrize("letters", [1, 2, 14, 15, 16, 30, 31, 64])
class TestPatterns:
    def test_they_are_the_texts_that_were_coded(self, letters):
        texts = random_patterns(letters)
        found, place = packed_codes.distinct_patterns(packed_codes.pack_patterns(texts, letters), letters)
        assert [found[one] for one in place] == texts
        assert found == sorted(set(texts))

    def test_each_code_is_its_letter(self, letters):
        texts = random_patterns(letters)
        coded = packed_codes.pack_patterns(texts, letters)
        assert coded.shape == (200, packed_codes.word_count(letters))
        assert coded.max() < 2**30
        for place in range(letters):
            assert packed_codes.code_at(coded, place).tolist() == ["01-!".index(text[place]) for text in texts]

    def test_a_row_is_sound_unless_a_letter_is_not(self, letters):
        texts = [*random_patterns(letters), "1" * letters, "0" * (letters - 1) + "!", "!" + "-" * (letters - 1)]
        assert packed_codes.is_valid(packed_codes.pack_patterns(texts, letters)).tolist() == [
            "!" not in text for text in texts
        ]


def test_nothing_has_no_pattern():
    found, place = packed_codes.distinct_patterns(np.zeros((0, 2), dtype=np.int64), 20)
    assert (found, place.tolist()) == ([], [])
    assert packed_codes.pack_patterns([], 20).shape == (0, 2)


def test_the_words_of_sql_are_those_of_patterns():
    """Codes 0, 1, 2, 3, 0, ... as SQL sums them up."""
    (first, second) = packed_codes.pack([lambda unit, code=place % 4: str(code * unit) for place in range(18)])
    letters = "".join("01-!"[place % 4] for place in range(18))
    assert [sum(map(int, re.findall(r"\d+", one))) for one in (first, second)] == packed_codes.pack_patterns(
        [letters], 18
    )[0].tolist()
