"""Every key of a TOML text has the line on which it stands."""

import tomllib
from pathlib import Path

from stratawatch.config.key_lines import key_lines, line_of

ROOT = Path(__file__).parents[3]


class TestPlaces:
    def test_tables_arrays_of_tables_and_dotted_keys(self):
        lines = key_lines('top = 1\n[a]\nb.c = 2\n[[a.list]]\nx = 1\n[[a.list]]\nx = 2\n[a.list.sub]\ny = 3\n["q.r"]\n')
        assert lines == {
            ("top",): 1,
            ("a",): 2,
            ("a", "b"): 3,
            ("a", "b", "c"): 3,
            ("a", "list"): 4,
            ("a", "list", 0): 4,
            ("a", "list", 0, "x"): 5,
            ("a", "list", 1): 6,
            ("a", "list", 1, "x"): 7,
            ("a", "list", 1, "sub"): 8,
            ("a", "list", 1, "sub", "y"): 9,
            ("q.r",): 10,
        }

    def test_values_of_many_lines_do_not_shift_what_follows(self):
        text = "a = \"\"\"\n[not a table]\nb = 1\n\"\"\"\nb = [\n  1, # ]\n  2,\n]\nc = '''x'''\n"
        lines = key_lines(text)
        assert (lines["a",], lines["b",], lines["c",]) == (1, 5, 9)

    def test_inline_tables_and_lists_share_the_line_of_their_key(self):
        lines = key_lines('\n\nheaders = { A = "x", B = ["y"] }\n')
        assert lines["headers", "B", 0] == 3

    def test_windows_line_ends_and_comments_behind_headers(self):
        assert key_lines("[a] # one\r\nx = 1\r\n")["a", "x"] == 2

    def test_a_place_without_a_line_has_that_of_the_table_around_it(self):
        lines = key_lines("[a]\nx = 1\n")
        assert line_of(lines, ("a", "missing", 3)) == 1
        assert line_of(lines, ("nowhere",)) is None


class TestTheExample:
    def test_every_key_has_a_line_and_the_line_names_it(self):
        text = (ROOT / "stratawatch/config/template.toml").read_text(encoding="utf-8")
        lines, found = text.splitlines(), key_lines(text)

        def places(value, place=()):
            if place:
                yield place
            for key, inner in value.items() if isinstance(value, dict) else ():
                yield from places(inner, (*place, key))
            for index, inner in enumerate(value) if isinstance(value, list) else ():
                yield from places(inner, (*place, index))

        wanted = set(places(tomllib.loads(text)))
        assert wanted <= set(found)
        for place in wanted:
            names = [part for part in place if isinstance(part, str)]
            assert names[-1] in lines[found[place] - 1]
