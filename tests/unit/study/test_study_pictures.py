"""The pictures of a study: what they draw, and how they are written."""

import pytest

from stratawatch.core.goals import Goal
from stratawatch.errors import StratawatchError
from stratawatch.study.study_pictures import StudyPicture
from tests.support.study_frames import StudyData

GOALS = [Goal("precision", margin=0.1), Goal("recall", margin=0.2, classifiers=("lr",))]


@pytest.fixture(scope="module")
def population():
    return StudyData()


@pytest.fixture(scope="module")
def study(population):
    made = population.study(budget=200, goals=GOALS)
    first = made.ask()
    made.tell({item: None if place % 5 == 0 else population.truth(item) for place, item in enumerate(first)})
    population.answer(made)
    return made


@pytest.fixture(scope="module")
def picture(study) -> StudyPicture:
    return study.plot()


def test_intervals_stand_on_the_margins_of_their_goals(study, picture):
    axes = picture.figure.axes[0]
    rows = [row for row in study.estimates() if row.segment is None]
    assert len(axes.get_yticklabels()) == len(rows)
    bands = [bar.get_width() for bar in axes.patches]
    assert bands == pytest.approx([2 * row.margin for row in rows if row.margin is not None])


def test_half_widths_end_with_those_of_the_estimates(study, picture):
    axes = picture.figure.axes[1]
    drawn = {line.get_label(): line for line in axes.lines}
    for classifier, metric in (("lr", "precision"), ("vote", "precision"), ("lr", "recall")):
        line = drawn[f"{classifier} {metric}"]
        assert line.get_ydata()[-1] == pytest.approx(study.estimates().of(classifier, metric).half_width)
        assert line.get_xdata()[-1] == 200
    assert "vote recall" not in drawn


def test_bars_are_the_labels_of_each_stratum(study, picture):
    widths = [bar.get_width() for bar in picture.figure.axes[2].patches]
    counts = [one for one in study.answer_counts() if one.stratum is not None]
    assert sum(widths[::2]) == sum(one.answered for one in counts)
    assert sum(widths[1::2]) == sum(one.skipped + one.open for one in counts) > 0


def test_a_state_is_said_by_a_mark_and_not_by_colour_alone(picture):
    legend = picture.figure.axes[0].get_legend()
    assert len({handle.get_marker() for handle in legend.legend_handles}) == len(legend.legend_handles) > 1


def test_a_notebook_gets_a_png_and_files_have_their_kinds(picture, tmp_path):
    assert picture._repr_png_().startswith(b"\x89PNG")
    picture.save(tmp_path / "study.svg")
    assert "Where the labels went" in (tmp_path / "study.svg").read_text(encoding="utf-8")
    with pytest.raises(StratawatchError, match=r"a\.txt cannot be drawn; expected a name that ends in \.png"):
        picture.save(tmp_path / "a.txt")


def test_without_a_question_there_is_nothing_to_draw(population):
    with pytest.raises(StratawatchError, match="nothing to draw yet"):
        population.study(budget=200).plot()


def test_a_sequential_study_draws_what_its_looks_say(population):
    made = population.study(goals=[Goal("precision", margin=0.15)], stop_rule="sequential", budget=400)
    population.answer(made)
    line = {line.get_label(): line for line in made.plot().figure.axes[1].lines}["lr precision"]
    assert line.get_ydata()[-1] == pytest.approx(made.estimates().of("lr", "precision").half_width)
