"""What `paused = true` leaves out of a panel, and where it is refused."""

from stratawatch.config.loading import load_configuration
from stratawatch.config.store_address import read_pauses
from stratawatch.engine.model.pauses import Pauses

RF = ("[panels.spam.classifiers.rf]\n", "[panels.spam.classifiers.rf]\npaused = true\n")
LR = ("[panels.spam.classifiers.lr]\n", "[panels.spam.classifiers.lr]\npaused = true\n")
SPAM = ("[panels.spam]\n", "[panels.spam]\npaused = true\n")


def test_a_paused_classifier_is_not_in_the_panel_nor_in_its_goals_and_limits(write):
    everything = load_configuration(write()).panels["spam"]
    panel = load_configuration(write(RF)).panels["spam"]
    assert [one.name for one in everything.classifiers] == ["lr", "rf"]
    assert [one.name for one in panel.classifiers] == ["lr"]
    named = [name for one in (*panel.goals, *panel.limits) for name in one.classifiers]
    assert "rf" not in named
    # What was for rf alone is not for everybody now.
    alone = [one for one in (*everything.goals, *everything.limits) if one.classifiers == ("rf",)]
    assert len((*panel.goals, *panel.limits)) == len((*everything.goals, *everything.limits)) - len(alone)


def test_a_limit_for_a_paused_classifier_alone_is_gone(write):
    limit = '\n[[panels.spam.limits]]\nmetric = "recall"\nfloor = 0.1\nclassifiers = ["rf"]\n'
    panel = load_configuration(write(RF, more=limit)).panels["spam"]
    assert [one for one in panel.limits if one.metric == "recall" and one.floor == 0.1] == []


def test_the_installation_and_status_say_what_is_paused(write):
    path = write(RF, SPAM)
    assert read_pauses(path) == Pauses(frozenset({"spam"}), frozenset({("spam", "rf")}))
    assert load_configuration(path).settings.panels["spam"].paused
    assert Pauses().sentence("spam") == ""


def test_status_sees_what_the_environment_pauses_or_lets_go_on(write, monkeypatch):
    path = write(RF)
    monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__PAUSED", "true")
    monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__CLASSIFIERS__RF__PAUSED", "false")
    assert read_pauses(path) == Pauses(frozenset({"spam"}))
    assert load_configuration(path).settings.panels["spam"].paused
    assert not load_configuration(path).settings.panels["spam"].classifiers["rf"].paused


def test_a_classifier_in_double_brackets_pauses_nothing_for_status(write):
    path = write(
        ("[panels.spam.classifiers.lr]", "[[panels.spam.classifiers]]"),
        ("[panels.spam.classifiers.rf]", "[[panels.spam.classifiers]]"),
    )
    assert read_pauses(path) == Pauses()


def test_the_classifier_that_the_design_names_is_not_paused_alone(problem):
    named = ("budget = 120\n", 'budget = 120\ndesign = "tripathi"\noptions = {parent = "rf"}\n')
    said = problem(RF, named)
    assert "draws for classifier 'rf', which is paused; name another one in `options`, or pause the panel" in said


def test_nor_is_the_first_one_that_the_design_takes_without_a_name(problem, write):
    unnamed = ("budget = 120\n", 'budget = 120\ndesign = "tripathi"\n')
    assert "draws for classifier 'lr', which is paused" in problem(LR, unnamed)
    assert load_configuration(write(RF, unnamed)).panels["spam"].classifiers[0].name == "lr"


def test_goals_to_stop_at_must_be_left(problem):
    alone = ("margin = 0.05\n", 'margin = 0.05\nclassifiers = ["rf"]\n')
    said = problem(RF, alone, ("budget = 120\n", 'budget = 120\nstop_rule = "goals"\n'))
    assert "without what is paused, stop_rule" in said


def test_a_panel_whose_every_classifier_is_paused_is_told_how_to_pause_it(problem):
    assert "every classifier is paused; write paused = true in the panel's own table" in problem(RF, LR)


def test_a_shadow_is_an_ordinary_classifier_of_its_panel(write):
    path = write(("[panels.spam.classifiers.rf]\n", "[panels.spam.classifiers.rf]\nshadow = true\n"))
    assert read_pauses(path) == Pauses(shadows=frozenset({("spam", "rf")}))
    assert load_configuration(path).panels == load_configuration(write()).panels  # promotion is no new version
