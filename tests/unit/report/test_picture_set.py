"""The pictures beside a page: what they say, where they lie, how large they are, and that they are the same again."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.report_notices import LARGEST_PICTURE
from stratawatch.report.chart_style import small_png
from stratawatch.report.classifier_picture import MOST_METRICS, MOST_WINDOWS, classifier_figure, drawn_scores
from stratawatch.report.overview_picture import MOST_ROWS, by_urgency, overview_figure, shown_metrics
from stratawatch.report.picture_set import for_mail, write_pictures
from stratawatch.report.view import build
from stratawatch.report.view_models import Point, Scale, Trend
from tests.support.programs import loaded
from tests.support.report_quarter import NOW, Memory, known, quarter, spec, window


@pytest.fixture(scope="module")
def view():
    memory = quarter()
    return build(memory, memory.panel, NOW)


@pytest.fixture(scope="module")
def pictures(view, tmp_path_factory):
    return write_pictures(view, tmp_path_factory.mktemp("drawn") / "toxicity" / "2026-03-23.html")


@pytest.fixture
def page(tmp_path):
    return tmp_path / "toxicity" / "2026-03-23.html"


def renamed(view, **names):
    """The view with classifiers of other names."""
    to = {name: names.get(name, name) for name in ("lr", "nb", "gbt", "vote")}
    scores, trends = (
        tuple(replace(one, classifier=to[one.classifier]) for one in many) for many in (view.scores, view.trends)
    )
    return replace(view, scores=scores, trends=trends)


def many(view, number, windows=2):
    """A view with so many classifiers."""
    points = tuple(Point(window(at), known(0.8 + 0.01 * (at % 3), 0.03), AlarmState.OK, 0.7) for at in range(windows))
    scores = [one for one in view.scores if one.classifier == "lr"]
    names = [f"classifier é {at} of a long name" for at in range(number)]
    return replace(
        view,
        scores=tuple(
            replace(one, classifier=name, estimate=known(0.7 + 0.003 * at, 0.02 + 0.001 * at))
            for at, name in enumerate(names)
            for one in scores
        ),
        trends=tuple(Trend(name, one.metric, "floor", points, Scale(0.6, 1.0)) for name in names for one in scores),
    )


def words(figure):
    """All that is written on a figure, line for line."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def said(figure):
    return " ".join(words(figure))


def names_of(pictures):
    return [picture.path.name for picture in pictures]


class TestSet:
    def test_has_an_overview_and_each_classifier_the_most_urgent_first(self, view, page):
        pictures = write_pictures(view, page)
        assert names_of(pictures) == ["overview.png", *(f"classifier-{one}.png" for one in ("nb", "lr", "gbt", "vote"))]
        assert {picture.path.parent for picture in pictures} == {page.with_name("2026-03-23.pictures")}
        assert [picture.is_urgent for picture in pictures] == [True, True, False, False, False]

    def test_is_its_owners_alone_and_leaves_no_drafts(self, view, page):
        pictures = write_pictures(view, page)
        folder = page.with_name("2026-03-23.pictures")
        assert sorted(path.name for path in folder.iterdir()) == sorted(names_of(pictures))
        assert {f"{path.stat().st_mode & 0o777:o}" for path in folder.iterdir()} == {"600"}
        assert f"{folder.stat().st_mode & 0o777:o}" == "700"

    def test_names_of_classifiers_stay_below_the_folder_and_apart(self, view, page):
        odd = renamed(view, lr="../x", nb="a/é", gbt="overview", vote="A\\É")
        pictures = write_pictures(odd, page)
        folder = page.with_name("2026-03-23.pictures")
        assert len(set(names_of(pictures))) == 5
        assert {picture.path.resolve().parent for picture in pictures} == {folder.resolve()}
        found = {path for path in page.parent.parent.rglob("*") if path.is_file()}
        assert found == {picture.path for picture in pictures}

    def test_leaves_alone_what_a_link_in_its_place_leads_to(self, view, page, tmp_path):
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "mine.png").touch()
        page.parent.mkdir(exist_ok=True)
        page.with_name("2026-03-23.pictures").symlink_to(elsewhere)
        pictures = write_pictures(view, page)
        assert [one.name for one in elsewhere.iterdir()] == ["mine.png"]
        assert all(one.path.is_file() for one in pictures)

    def test_drawn_again_has_no_classifier_that_is_gone(self, view, page):
        write_pictures(view, page)
        left = replace(view, scores=tuple(one for one in view.scores if one.classifier != "vote"))
        write_pictures(left, page)
        assert not page.with_name("2026-03-23.pictures").joinpath("classifier-vote.png").exists()

    def test_is_empty_before_anything_was_estimated(self, view, page):
        write_pictures(view, page)
        memory = Memory(spec())
        assert write_pictures(build(memory, memory.panel, NOW), page) == ()
        assert not page.with_name("2026-03-23.pictures").exists()


class TestFile:
    def test_is_a_png_of_a_palette_on_white_without_metadata(self, pictures):
        for picture in pictures:
            with Image.open(picture.path) as image:
                assert (image.format, image.mode, image.width) == ("PNG", "P", 780)
                assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
                assert image.info == {}
            content = picture.path.read_bytes()
            assert not any(kind in content for kind in (b"tEXt", b"iTXt", b"tIME", b"eXIf"))

    def test_has_colours_that_stay_apart(self, pictures):
        """A palette that mixes them makes marks of a breach grey."""
        with Image.open(pictures[1].path) as image:
            found = {colour for _, colour in image.convert("RGB").getcolors()}
        for wanted in ((0xD5, 0x5E, 0x00), (0xEB, 0xA6, 0x79), (0x00, 0x72, 0xB2)):
            assert any(max(abs(a - b) for a, b in zip(wanted, colour, strict=True)) < 24 for colour in found)

    def test_the_same_view_gives_the_same_bytes(self, view, pictures, page):
        again = write_pictures(view, page)
        assert [one.path.read_bytes() for one in again] == [one.path.read_bytes() for one in pictures]

    def test_another_value_gives_others(self, view, pictures, page):
        moved = tuple(replace(one, estimate=known(0.75, 0.03)) for one in view.scores)
        again = write_pictures(replace(view, scores=moved), page)
        assert again[0].path.read_bytes() != pictures[0].path.read_bytes()

    @pytest.mark.parametrize("number", [1, MOST_ROWS + 20])
    def test_is_small_enough_for_a_mail(self, view, number):
        """As many classifiers as an overview shows, each with other figures; 26 windows of one."""
        large = many(view, number, windows=MOST_WINDOWS)
        breaches = [replace(one, state=AlarmState.BREACH) for one in view.segments[:4]]
        wordy = replace(view.headline, sentence="All is long and told in very many words. " * 10)
        large = replace(large, headline=wordy, segments=tuple(breaches))
        assert len(small_png(lambda: overview_figure(large), LARGEST_PICTURE)) <= LARGEST_PICTURE
        assert (
            len(small_png(lambda: classifier_figure(large, large.scores[0].classifier), LARGEST_PICTURE))
            <= LARGEST_PICTURE
        )


class TestOverview:
    def test_says_the_headline_and_the_breach_in_words(self, view):
        text = said(overview_figure(view))
        assert view.headline.sentence in text
        assert "below its floor of 78.0% since the week of 16 Feb." in text
        assert "✖ 71.3%" in text

    def test_draws_the_interval_and_the_limit_where_they_are(self, view):
        nb = next(one for one in view.scores if (one.classifier, one.metric) == ("nb", "precision"))
        lines = [line.get_segments()[0] for line in overview_figure(view).axes[0].collections]
        limits = {float(line[0][0]) for line in lines if line[0][0] == line[1][0]}
        reaches = {(float(line[0][0]), float(line[1][0])) for line in lines if line[0][1] == line[1][1]}
        assert limits == {0.78}
        assert (nb.estimate.low, nb.estimate.high) in reaches

    def test_shows_the_metric_that_is_in_trouble_in_place_of_one_that_is_not(self, view):
        assert shown_metrics(view.scores) == ["precision", "recall"]
        changed = [
            replace(one, state=AlarmState.AT_RISK, limit=Limit(one.metric, ceiling=0.01))
            if one.metric == "false_omission_rate"
            else replace(one, state=AlarmState.OK)
            for one in view.scores
        ]
        assert shown_metrics(changed) == ["precision", "false_omission_rate"]

    def test_a_breach_that_is_not_drawn_is_told_all_the_same(self, view):
        south = next(one for one in view.segments if (one.classifier, one.metric) == ("nb", "precision"))
        text = said(overview_figure(replace(view, segments=(replace(south, state=AlarmState.BREACH),))))
        assert "(not drawn)" in text
        assert f"Precision of nb in {south.segment}" in text

    def test_says_how_many_classifiers_are_left_out(self, view):
        text = said(overview_figure(many(view, MOST_ROWS + 7)))
        assert "7 more classifiers on the page" in text
        assert "more classifier" not in said(overview_figure(many(view, MOST_ROWS)))

    def test_what_cannot_be_told_has_its_sign(self, view):
        blind = [
            replace(one, estimate=None, state=AlarmState.BLIND, reason="why") if one.classifier == "lr" else one
            for one in view.scores
        ]
        found = words(overview_figure(replace(view, scores=tuple(blind))))
        assert found.count("?") == 2
        assert "?: cannot be told" in found
        assert by_urgency(blind)[:2] == ["nb", "lr"]

    def test_without_limits_there_is_no_limit(self, view):
        free = tuple(replace(one, limit=None, state=None) for one in view.scores)
        found = words(overview_figure(replace(view, scores=free)))
        assert "limit" not in found
        assert "without a limit" in found
        assert "87.0%" in found


class TestClassifier:
    def test_has_a_frame_for_each_metric_with_its_finding(self, view):
        figure = classifier_figure(view, "nb")
        text = said(figure)
        assert len(figure.axes) == 3
        assert "since the week of 16 Feb" in text
        assert "False-omission rate of nb: 1.82%" in text

    def test_gaps_have_signs_and_no_line_crosses_them(self, view):
        axes = classifier_figure(view, "nb").axes[0]
        assert [text.get_text() for text in axes.texts] == ["?", "…"]
        lines = [list(line.get_xdata()) for line in axes.lines if line.get_linestyle() == "-"]
        assert lines == [[0, 1, 2], [4, 5, 6, 7, 8, 9]]

    def test_states_have_marks_of_their_own(self, view):
        axes = classifier_figure(view, "nb").axes[0]
        marks = {
            str(line.get_marker()): list(line.get_xdata()) for line in axes.lines if line.get_linestyle() == "None"
        }
        assert marks["X"] == [6, 7, 8, 9]
        assert marks["o"] == [0, 1, 2, 4, 5]

    def test_shows_the_newest_windows_when_there_are_years(self, view):
        one = many(view, 1, windows=104)
        figure = classifier_figure(one, one.scores[0].classifier)
        figure.canvas.draw()
        labels = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
        assert figure.axes[0].get_xlim() == (-0.6, MOST_WINDOWS - 0.4)
        assert f"{window(103).start:%d %b}".lstrip("0") in labels

    def test_prefers_metrics_with_a_limit(self, view):
        base, trend = view.scores[0], view.trends[0]
        names = [f"m{at}" for at in range(MOST_METRICS + 2)]
        scores = tuple(
            replace(base, metric=name, limit=base.limit if at > 2 else None, classifier="lr")
            for at, name in enumerate(names)
        )
        trends = tuple(replace(trend, metric=name, classifier="lr") for name in names)
        found = [one.metric for one in drawn_scores(replace(view, scores=scores, trends=trends), "lr")]
        assert found == ["m0", "m3", "m4", "m5"]

    def test_dollar_signs_and_letters_that_the_font_lacks_are_only_letters(self, view):
        odd = renamed(view, lr="$x^$ 日本 \\frac{")
        assert small_png(lambda: classifier_figure(odd, "$x^$ 日本 \\frac{"), LARGEST_PICTURE).startswith(b"\x89PNG")


class TestForMail:
    def test_is_the_overview_and_the_worst_classifier(self, view, page):
        assert names_of(for_mail(write_pictures(view, page))) == ["overview.png", "classifier-nb.png"]

    def test_is_the_overview_alone_where_nobody_is_needed(self, view, page):
        calm = replace(view, scores=tuple(replace(one, state=AlarmState.UNPROVEN) for one in view.scores))
        assert names_of(for_mail(write_pictures(calm, page))) == ["overview.png"]

    def test_has_words_for_who_sees_no_pictures(self, view, page):
        overview, nb = for_mail(write_pictures(view, page))
        assert view.headline.sentence in overview.finding
        assert "Precision of nb: 71.3% (68.2 to 74.4), below its floor of 78.0% since the week of 16 Feb." in nb.finding


def test_matplotlib_and_pillow_are_loaded_to_draw_and_not_before():
    assert loaded("import stratawatch.report", ["matplotlib", "PIL"]) == set()


def test_nothing_global_is_changed(view):
    import matplotlib as mpl

    def settings():
        return {name: value for name, value in mpl.rcParams.items() if name != "backend"}  # found on first use

    before = settings()
    with Image.open(io.BytesIO(small_png(lambda: overview_figure(view), LARGEST_PICTURE))) as image:
        assert image.height > 100
    assert settings() == before


def test_what_is_in_the_way_is_left(view, tmp_path):
    """A link in place of the folder is taken away, and not what it leads to."""
    elsewhere: Path = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.png").write_text("")
    (tmp_path / "2026-03-23.pictures").symlink_to(elsewhere)
    memory = Memory(spec())
    write_pictures(build(memory, memory.panel, NOW), tmp_path / "2026-03-23.html")
    assert (elsewhere / "mine.png").exists()
    assert not (tmp_path / "2026-03-23.pictures").exists()
