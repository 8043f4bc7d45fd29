"""Old names of keys are taken for one version: the same panel comes of them, and each is told with its new name."""

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.renamed_keys import NEW_NAMES
from stratawatch.config.settings import Settings

NEW = """\
budget = 120
blind_margin_factor = 2.5
false_pages_per_year = 2.0
label_validity = "30d"
max_bad_row_share = 0.02
stop_rule = "goals"
"""
NEW_GOAL = 'margin = 0.05\nclassifiers = ["lr"]'
KEYS = [place for place in NEW_NAMES if "options" not in place]
OLD = {NEW_NAMES[place]: place[-1] for place in KEYS}


def with_old_names(text: str) -> str:
    for new, old in OLD.items():
        text = text.replace(f"{new} = ", f"{old} = ")
    return text


@pytest.fixture
def new(write):
    return write(("budget = 120\n", NEW), ("margin = 0.05", NEW_GOAL))


@pytest.fixture
def old(new):
    path = new.with_name("old.toml")
    path.write_text(with_old_names(new.read_text()))
    return path


class TestOldNames:
    def test_make_the_same_panel(self, new, old):
        assert load_configuration(old).panels == load_configuration(new).panels

    def test_are_each_told_once_with_line_and_new_name(self, old):
        found = [str(notice) for notice in load_configuration(old).notices]
        assert len(found) == len(KEYS)
        assert "panels.spam.blind_at, line 12: 'blind_at' is called 'blind_margin_factor' now; rename it: " in found[0]
        assert any(text.startswith("panels.spam.limits[1].of, line ") for text in found)
        assert any(text.startswith("panels.spam.classifiers.lr.positive, line ") for text in found)

    def test_new_names_are_told_of_nothing(self, new):
        assert load_configuration(new).notices == ()

    def test_beside_the_new_name_are_refused(self, problems):
        found = problems(("budget = 120", "budget = 120\nblind_at = 2.0\nblind_margin_factor = 3.0"))
        assert found == [
            (
                "panels.spam.blind_at, line 12: 'blind_at' is the old name of 'blind_margin_factor', "
                "and both are given; remove 'blind_at'"
            )
        ]

    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            (("budget = 120", "budget = 120\nblind_at = 0.5"), "panels.spam.blind_margin_factor, line 12: "),
            (('classifiers = ["lr"]', 'of = ["rl"]'), "panels.spam.limits[1].classifiers[1], line 43: there is no"),
        ],
    )
    def test_a_mistake_below_one_is_told_with_its_line(self, problem, lines, said):
        found = problem(lines)
        assert found.startswith(said)

    def test_no_old_name_is_a_key(self):
        """A key that came back under an old name could not be set any more."""
        known = set(Settings.model_fields["panels"].annotation.__args__[1].model_fields)
        assert not {old[-1] for old in NEW_NAMES if len(old) == 3} & known


class TestTheEnvironment:
    def test_takes_both_names(self, write, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__BLIND_AT", "4.5")
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__LABEL_VALIDITY", "10d")
        found = load_configuration(
            write(("budget = 120", 'budget = 120\nblind_margin_factor = 2.0\nlabel_life = "20d"'))
        )
        assert (found.panels["spam"].blind_margin_factor, found.panels["spam"].label_validity.days) == (4.5, 10)
        assert "environment variable STRATAWATCH_PANELS__SPAM__BLIND_AT" in str(found.notices[-1])

    def test_is_named_where_an_old_name_holds_a_mistake(self, problem, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__BLIND_AT", "much")
        found = problem()
        assert "environment variable STRATAWATCH_PANELS__SPAM__BLIND_AT: 'blind_margin_factor' has the wrong" in found

    def test_is_read_inside_of_lists(self, write, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__GOALS", '[{"metric": "recall", "margin": 0.1, "of": ["rf"]}]')
        (goal,) = load_configuration(write()).panels["spam"].goals
        assert goal.classifiers == ("rf",)
