from pathlib import Path

import pytest

from stratawatch.folder_names import slug


class TestSlug:
    def test_safe_names_stay(self):
        assert slug("spam_filter-2") == "spam_filter-2"

    @pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", "", "Ω", "a b", "A", "x" * 500, "con\n"])
    def test_other_names_become_one_safe_folder(self, name):
        made = slug(name)
        assert Path(made).name == made
        assert made not in (".", "..", "")
        assert len(made) < 80

    def test_names_that_read_alike_stay_apart(self):
        assert len({slug(name) for name in ("a b", "a-b", "a/b", "A-B")}) == 4
