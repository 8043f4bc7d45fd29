"""Three small pictures of a study: its intervals, how they narrow with labels, and where the labels went."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stratawatch.atomic_files import replace_file
from stratawatch.chart_colours import BLUE, GREEN, GREY, INK, ORANGE, STYLE, VERMILLION
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimation.missing_answers import AnswerCounts
from stratawatch.core.stratification.stratum_atoms import StratumAtoms, atoms_by_stratum
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError
from stratawatch.extras import require
from stratawatch.formatting import exact_points
from stratawatch.study.estimate_rows import StudyEstimate, StudyEstimates, study_estimates
from stratawatch.study.plan_rows import ExpectedMetric
from stratawatch.study.study_progress import StudyRound, drawn_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TALLEST: Final = 5.0
_MOST_NAMED: Final = 24
"""Inches, and the strata that have their names beside the bars: of more every second, or third."""
_ENDINGS: Final = (".png", ".svg", ".pdf")
_STATES: Final = {"held": (GREEN, "o"), "short": (VERMILLION, "D"), "known": (BLUE, "s"), "blind": (GREY, "X")}
"""Colour and mark of a state: nothing is said by colour alone."""
_CLASSIFIER_COLOURS: Final = (BLUE, VERMILLION, GREEN, ORANGE, INK, GREY)
_METRIC_LINES: Final = ("-", "--", ":", "-.")
_METRIC_MARKS: Final = ("o", "s", "^", "D")


@dataclass(frozen=True)
class StudyPicture:
    """The pictures of a study: a notebook shows them, `save` writes them, `figure` is matplotlib's own."""

    figure: "Figure"

    def save(self, path: str | Path) -> None:
        """Write them into a file; the ending of its name (.png, .svg, .pdf) is the format."""
        file = Path(path)
        if file.suffix.lower() not in _ENDINGS:
            raise StratawatchError(
                f"{file.name} cannot be drawn", expected=f"a name that ends in {' or '.join(_ENDINGS)}"
            )
        replace_file(file, self._drawn(file.suffix.lower()[1:]))

    def _repr_png_(self) -> bytes:
        return self._drawn("png")

    def _drawn(self, kind: str) -> bytes:
        import matplotlib as mpl

        out = BytesIO()
        with mpl.rc_context(STYLE):
            self.figure.savefig(out, format=kind, dpi=110)
        return out.getvalue()


def estimates_by_round(
    design: FrozenDesign,
    ledger: VerdictsByItem,
    rounds: Sequence[StudyRound],
    confidence: Callable[[int], float],
    margins: Mapping[tuple[str, str], float],
) -> list[tuple[int, StudyEstimates]]:
    """The drawn items and the estimates after each round, for metrics with a margin; confidence by number of rounds."""
    metrics = tuple(dict.fromkeys(metric for _, metric in margins))
    found = []
    for number in range(1, len(rounds) + 1) if metrics else ():
        drawn = drawn_in(rounds[:number])
        estimates = design.estimate(ledger, drawn, confidence=confidence(number), metrics=metrics, segments=[])
        found.append((len(drawn), study_estimates(estimates, margins)))
    return found


def draw_study(
    estimates: StudyEstimates,
    by_round: Sequence[tuple[int, StudyEstimates]],
    forecast: tuple[int, Sequence[ExpectedMetric]],
    design: FrozenDesign,
    counts: Sequence[AnswerCounts],
) -> StudyPicture:
    """The three pictures side by side; `forecast` are the planned labels and what they were expected to give."""
    require("report")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    whole = [row for row in estimates if row.segment is None]
    strata = [one for one in counts if one.stratum is not None]
    height = min(max(2.8, 0.24 * max(len(whole), len(strata)) + 1.2), _TALLEST)
    with mpl.rc_context({**STYLE, "figure.facecolor": "white"}):
        figure = Figure(figsize=(13, height), layout="constrained")
        intervals, widths, homes = figure.subplots(1, 3)
        _draw_intervals(intervals, whole)
        _draw_widths(widths, by_round, forecast)
        _draw_strata(homes, design, strata)
    return StudyPicture(figure)


def _draw_intervals(axes: "Axes", rows: Sequence[StudyEstimate]) -> None:
    """A line for each metric: value and interval, on a band that is as wide as its goal allows."""
    axes.set_title("Intervals, on the margins of goals", loc="left")
    for place, row in enumerate(rows):
        if row.value is None or row.low is None or row.high is None:
            axes.text(0.5, place, "cannot be estimated", ha="center", va="center", color=GREY)
            continue
        if row.margin is not None:
            axes.barh(place, 2 * row.margin, left=row.value - row.margin, height=0.7, color=GREY, alpha=0.3)
        colour, mark = _STATES[row.state]
        axes.plot([row.low, row.high], [place, place], color=colour)
        axes.plot([row.value], [place], mark, color=colour, markersize=4)
    axes.set_yticks(range(len(rows)), [_name(row.classifier, row.metric) for row in rows])
    axes.set_xlim(0, 1)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    _in_percent(axes.xaxis)
    shown = dict.fromkeys(row.state for row in rows if row.state in _STATES)
    handles = [axes.plot([], [], _STATES[state][1], color=_STATES[state][0], label=state)[0] for state in shown]
    if handles:
        axes.legend(
            handles=handles, frameon=False, fontsize=7, ncols=len(handles), loc="upper left", bbox_to_anchor=(0, -0.1)
        )


def _draw_widths(
    axes: "Axes", by_round: Sequence[tuple[int, StudyEstimates]], forecast: tuple[int, Sequence[ExpectedMetric]]
) -> None:
    """Half-widths after each round, the forecast as a hollow mark with its range, and the margins as dotted lines."""
    axes.set_title("Half-width after so many labels", loc="left")
    labels, expected = forecast
    goals = [one for one in expected if one.margin is not None]
    names = list(dict.fromkeys(one.classifier for one in goals))
    metrics = list(dict.fromkeys(one.metric for one in goals))
    for number, one in enumerate(goals):
        colour = _CLASSIFIER_COLOURS[names.index(one.classifier) % len(_CLASSIFIER_COLOURS)]
        place = metrics.index(one.metric) % len(_METRIC_LINES)
        rows = [(drawn, rows.of(one.classifier, one.metric).half_width) for drawn, rows in by_round]
        known = [(drawn, width) for drawn, width in rows if width is not None]
        axes.plot(
            [drawn for drawn, _ in known],
            [width for _, width in known],
            f"{_METRIC_MARKS[place]}{_METRIC_LINES[place]}",
            color=colour,
            markersize=4,
            label=_name(one.classifier, one.metric),
        )
        beside = labels * (1 + 0.015 * (number - len(goals) / 2))  # ranges lie beside one another, not over
        if one.half_width is not None:
            axes.plot([beside], [one.half_width], _METRIC_MARKS[place], color=colour, markerfacecolor="white")
        if one.half_width_low is not None and one.half_width_high is not None:
            ends = [one.half_width_low, one.half_width_high]
            axes.plot([beside, beside], ends, color=colour, alpha=0.35, linewidth=3)
    for margin in sorted({one.margin for one in goals if one.margin is not None}):
        axes.axhline(margin, color=GREY, linestyle=":", linewidth=0.9)
        axes.annotate(
            f"margin {exact_points(margin)}", (0, margin), (2, 2), textcoords="offset points", fontsize=7, color=INK
        )
    axes.set_xlim(0, 1.08 * max(labels, *(drawn for drawn, _ in by_round), 1))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("labels; hollow: the forecast before any, with its range")
    _in_percent(axes.yaxis)
    if goals:
        axes.legend(frameon=False, fontsize=7)


def _draw_strata(axes: "Axes", design: FrozenDesign, counts: Sequence[AnswerCounts]) -> None:
    """A bar for each stratum: answers, and those missing; a stroke where labels drawn plainly at random would end."""
    axes.set_title("Where the labels went", loc="left")
    strata = atoms_by_stratum(design.atoms)
    items, drawn = sum(one.items for one in strata), sum(one.drawn for one in counts)
    by_score = sorted(counts, key=lambda one: strata[one.stratum or 0].mean_score or 0.0)
    for place, one in enumerate(by_score):
        home, missing = strata[one.stratum or 0], one.drawn - one.answered
        axes.barh(place, one.answered, height=0.7, color=BLUE)
        axes.barh(place, missing, left=one.answered, height=0.7, color=ORANGE, hatch="////", edgecolor="white")
        share = drawn * home.items / items
        axes.plot([share, share], [place - 0.4, place + 0.4], color=INK, linewidth=1.5)
    step = -(-len(by_score) // _MOST_NAMED) or 1
    named = range(0, len(by_score), step)
    axes.set_yticks(named, [_stratum_name(strata[by_score[place].stratum or 0]) for place in named])
    missing_too = "; hatched: no answer" if any(one.answered < one.drawn for one in counts) else ""
    axes.set_xlabel(f"labels{missing_too}; stroke: a plain random sample")
    axes.set_ylabel("pattern, mean score")


def _stratum_name(stratum: StratumAtoms) -> str:
    score = stratum.mean_score
    return stratum.pattern_text if score is None else f"{stratum.pattern_text}  {score:.2f}"


def _name(classifier: str, metric: str) -> str:
    return f"{classifier} {metric.replace('_', ' ')}"


def _in_percent(axis: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1, decimals=None))
