"""The curve as a picture: a line a classifier, where the budget and the margins are, and nothing half written."""

import re

import pytest

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.engine.cycle.label_needs import GoalForecast, LabelNeeds
from stratawatch.report.budget_chart import COLOURS, draw_curves
from tests.support.programs import loaded

LABELS = (100, 300, 900, 1000, 3000)


def found(classifiers=("lr", "rf"), metrics=("precision", "recall"), **changes):
    curve = tuple(
        BudgetPoint(n, {(c, m): (1 + i) / n**0.5 for i, c in enumerate(classifiers) for m in metrics}) for n in LABELS
    )
    goals = tuple(GoalForecast(c, "precision", 0.03, 0.05, 1200) for c in classifiers)
    facts = {
        "items": 50_000,
        "past_labels": 4_200,
        "from_history": True,
        "metrics": metrics,
        "goals": goals,
        "together": 1500,
        "curve": curve,
    }
    return LabelNeeds(**(facts | changes))


def svg(path, outlook=None, budget=900):
    draw_curves(path / "curve.svg", "spam", budget, outlook or found())
    return (path / "curve.svg").read_text(encoding="utf-8")


def words(text):
    return re.findall(r"<text[^>]*>([^<]+)</text>", text)


class TestPicture:
    def test_has_a_frame_for_every_metric_and_names_every_classifier_once(self, tmp_path):
        said = words(svg(tmp_path))
        assert (said.count("Precision"), said.count("Recall")) == (1, 1)
        assert (said.count("lr"), said.count("rf")) == (1, 1)
        assert "spam: half-widths by labels, predicted from 4,200 past labels" in said

    def test_says_when_scores_alone_foretell(self, tmp_path):
        assert "spam: half-widths by labels, predicted from scores alone" in words(
            svg(tmp_path, found(from_history=False))
        )

    def test_marks_the_budget_in_every_frame_and_the_margin_where_there_is_one(self, tmp_path):
        said = [word.strip() for word in words(svg(tmp_path))]
        assert said.count("budget") == 2
        assert said.count("margin ±3.00%") == 1

    def test_leaves_out_numbers_that_would_overlap(self, tmp_path):
        said = words(svg(tmp_path))
        assert said.count("900") == 2
        assert "1,000" not in said

    def test_tells_twenty_classifiers_apart(self, tmp_path):
        """Seven colours, each with three kinds of line."""
        names = tuple(f"c{n}" for n in range(20))
        text = svg(tmp_path, found(names, ("precision",)))
        looks = re.findall(r'style="fill: none; (?:stroke-dasharray: ([^;]+); [^"]*?)?stroke: (#[0-9a-f]{6})', text)
        assert {colour for _, colour in looks} >= {colour.lower() for colour in COLOURS}
        assert set(words(text)) >= set(names)

    def test_a_metric_that_cannot_be_told_for_few_labels_begins_later(self, tmp_path):
        curve = (BudgetPoint(100, {}), *found().curve[1:])
        assert "Precision" in words(svg(tmp_path, found(curve=curve)))


class TestFile:
    def test_the_same_outlook_gives_the_same_bytes(self, tmp_path):
        assert svg(tmp_path) == svg(tmp_path)

    def test_a_png_is_one(self, tmp_path):
        draw_curves(tmp_path / "new" / "curve.PNG", "spam", 900, found())
        assert (tmp_path / "new" / "curve.PNG").read_bytes().startswith(b"\x89PNG")
        assert [path.name for path in (tmp_path / "new").iterdir()] == ["curve.PNG"]

    @pytest.mark.parametrize("metrics", [("precision",), ("precision", "recall", "f1", "accuracy", "prevalence")])
    def test_any_number_of_metrics_has_room(self, tmp_path, metrics):
        assert len(re.findall(r'<g id="axes_\d+">', svg(tmp_path, found(metrics=metrics)))) >= len(metrics)

    def test_matplotlib_is_loaded_to_draw_and_not_before(self):
        assert loaded("import stratawatch.report.budget_chart", ["matplotlib"]) == set()
