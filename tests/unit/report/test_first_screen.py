"""The first screen below the headline: who has a line, in which order, what is noted, and when there is a chart."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Undefined
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Atom
from stratawatch.engine.alarms.notifications import News
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.report.report_data import read_data
from stratawatch.report.view import assemble
from tests.support.report_quarter import NOW, REGIONS, Memory, cycle, estimate, input_profile, known, spec, stream

OK, UNPROVEN, AT_RISK, BREACH, BLIND = (
    AlarmState.OK,
    AlarmState.UNPROVEN,
    AlarmState.AT_RISK,
    AlarmState.BREACH,
    AlarmState.BLIND,
)


def panel(*names, **changes):
    return spec(classifiers=tuple(ClassifierSpec(name, f"score_{name}") for name in names), **changes)


def facts_of(memory, **changes):
    return replace(read_data(memory, memory.panel, 13), **changes)


def summary(memory, **changes):
    return assemble(facts_of(memory, **changes), NOW).summary


def by_state(**states):
    """One window of classifiers in these states."""
    memory = Memory(panel(*states))
    made = [estimate(name, "precision", known(0.8, 0.02)) for name in states]
    said = [(stream(name), state, "so it is") for name, state in states.items() if state]
    memory.judge(cycle(0), made, said)
    return memory


def two_weeks(changes, half=0.02, **more):
    """Two windows between which the precision of each classifier changes by so much."""
    memory = Memory(panel(*changes, **more))
    for week in (0, 1):
        made = [estimate(name, "precision", known(0.8 + week * change, half)) for name, change in changes.items()]
        memory.judge(cycle(week), made)
    return memory


class TestLines:
    def test_stand_in_the_order_of_their_urgency_and_else_of_the_panel(self):
        found = summary(by_state(a=None, b=OK, c=UNPROVEN, d=BREACH, e=AT_RISK, f=BLIND, g=OK))
        assert [row.name for row in found.rows] == ["d", "f", "e", "c", "b", "g", "a"]
        assert found.others == ()

    def test_are_at_most_eight_and_the_others_are_those_that_are_fine(self):
        states = {f"c{number}": OK for number in range(9)} | {"late": AT_RISK, "open": UNPROVEN}
        found = summary(by_state(**states))
        assert [row.name for row in found.rows] == ["late", "open", *(f"c{number}" for number in range(6))]
        assert found.others == ("c6", "c7", "c8")

    @pytest.mark.parametrize("trouble", [BREACH, AT_RISK, BLIND])
    def test_are_more_where_more_are_in_trouble(self, trouble):
        states = {"fine": OK} | {f"c{number}": trouble for number in range(10)}
        found = summary(by_state(**states))
        assert len(found.rows) == 10
        assert found.others == ("fine",)

    def test_count_trouble_inside_a_segment(self):
        memory = by_state(a=OK, b=OK)
        memory.revisions[1] = replace(
            memory.revisions[1],
            estimates=(*memory.revisions[1].estimates, estimate("b", "precision", known(0.5, 0.1), REGIONS[0])),
        )
        key = stream("b", segment=str(REGIONS[0]))
        memory.states[1].append(replace(memory.states[1][0], key=key, state=BREACH))
        assert [(row.name, row.state) for row in summary(memory).rows] == [("b", BREACH), ("a", OK)]

    def test_show_the_metrics_with_a_limit_two_at_most(self):
        assert summary(by_state(a=OK)).metrics == ("precision", "recall")
        memory = by_state(a=OK)
        memory.panel = replace(memory.panel, limits=(), goals=(Goal("precision", 0.03),))
        assert summary(memory).metrics == ("precision",)

    def test_show_a_metric_in_trouble_in_place_of_one_that_is_fine(self):
        memory = by_state(a=OK)
        limits = (*memory.panel.limits, Limit("specificity", floor=0.9))
        memory.panel = replace(memory.panel, limits=limits)
        memory.states[1].append(replace(memory.states[1][0], key=stream("a", "specificity"), state=BREACH))
        assert summary(memory).metrics == ("precision", "specificity")

    def test_have_no_flags_where_none_were_counted(self):
        assert [row.flags for row in summary(by_state(a=OK)).rows] == [None]


class TestFlags:
    def weeks(self, *counts, since=None):
        memory = Memory(panel("nb"))
        for week, flags in enumerate(counts):
            counted = {} if flags is None else {"nb": {"positives": flags}}
            profile = replace(input_profile(1000), columns=counted)
            memory.judge(cycle(week, profile=profile), [estimate("nb", "precision", known(0.8, 0.02))])
        if since is not None:
            start = cycle(since).window.start
            memory.incidents.append(Incident(1, stream(), BREACH, "d", since + 1, NOW, since=start))
        (row,) = summary(memory).rows
        return row.flags

    def test_are_compared_with_the_mean_of_four_windows_before(self):
        flags = self.weeks(9000, 90, 100, 110, 100, 150)
        assert (flags.usual, flags.change, flags.since) == (100, 0.5, None)

    def test_of_a_broken_classifier_are_compared_with_those_before_it_broke(self):
        flags = self.weeks(90, 110, 300, 200, since=2)
        assert (flags.usual, flags.change, flags.since) == (100, 1.0, cycle(2).window.start)

    def test_of_a_breach_from_the_first_window_on_have_nothing_to_be_compared_with(self):
        flags = self.weeks(90, 110, since=0)
        assert (flags.usual, flags.change) == (None, None)

    def test_leave_out_windows_that_were_not_counted(self):
        flags = self.weeks(90, None, 110)
        assert flags.counts == (90, 110)
        assert flags.starts == (cycle(0).window.start, cycle(2).window.start)

    def test_leave_out_windows_that_were_refused(self):
        memory = Memory(panel("nb"))
        for week, flags in enumerate((100, 100, 2, 150)):
            profile = replace(input_profile(1000), columns={"nb": {"positives": flags}})
            if week == 2:
                memory.cycles.append(cycle(week, CycleState.REFUSED, profile=profile, reason="too few rows"))
            else:
                memory.judge(cycle(week, profile=profile), [estimate("nb", "precision", known(0.8, 0.02))])
        (row,) = summary(memory).rows
        assert (row.flags.counts, row.flags.change) == ((100, 100, 150), 0.5)

    def test_are_not_there_where_the_newest_was_not_counted(self):
        assert self.weeks(90, None) is None


class TestTooWide:
    def note(self, halves, **changes):
        memory = Memory(panel(*halves, goals=(Goal("precision", 0.03, **changes),)))
        memory.judge(cycle(0), [estimate(name, "precision", known(0.8, half)) for name, half in halves.items()])
        return [note for note in summary(memory).notes if note.startswith("Less sure")]

    def test_names_the_widest_and_how_many_they_are(self):
        (said,) = self.note({"a": 0.02, "b": 0.041, "c": 0.05})
        assert said.startswith("Less sure than wanted: precision of 2 of 3 classifiers up to ±5.0 points (wanted ±3).")
        assert "`stratawatch plan` says what it takes." in said

    def test_says_no_number_of_classifiers_where_it_is_so_for_all(self):
        (said,) = self.note({"a": 0.041, "b": 0.05})
        assert said.startswith("Less sure than wanted: precision up to ±5.0 points (wanted ±3).")

    def test_is_said_of_the_goal_s_classifiers_alone(self):
        assert self.note({"a": 0.02, "b": 0.05}, classifiers=("a",)) == []

    def test_is_not_said_where_every_goal_is_reached(self):
        assert self.note({"a": 0.02, "b": 0.03}) == []


class TestMovedTogether:
    def notes(self, changes, **more):
        return [note for note in summary(two_weeks(changes, **more)).notes if "moved together" in note]

    def test_is_said_of_three_that_moved_alike_and_none_of_them_provably(self):
        (said,) = self.notes({"a": -0.01, "b": -0.012, "c": -0.014})
        assert said == (
            "Precision of all classifiers moved together, by −1.2 pts on average: probably the sample, which they share, "
            "or the items."
        )

    @pytest.mark.parametrize(
        "changes",
        [
            pytest.param({"a": -0.01, "b": -0.012}, id="two"),
            pytest.param({"a": -0.01, "b": -0.012, "c": 0.014}, id="one the other way"),
            pytest.param({"a": -0.01, "b": -0.012, "c": -0.03}, id="one by more than its interval"),
            pytest.param({"a": -0.01, "b": -0.012, "c": -0.001}, id="one hardly"),
        ],
    )
    def test_is_not_said_of(self, changes):
        assert self.notes(changes) == []

    def test_is_not_said_of_metrics_that_have_no_column(self):
        changes = {"a": -0.01, "b": -0.012, "c": -0.014}
        assert self.notes(changes, limits=spec().limits[1:]) == []


class TestPlaces:
    """A precision of nb that broke in week 1 because of the south."""

    def facts(self, named=("region=south",), values=(0.8, 0.6), sizes=(600, 400), **changes):
        memory = Memory(panel("nb", "lr"))
        memory.atoms = (Atom("10", 0, 9, 1000, 0.9, dict(zip(REGIONS, sizes, strict=True))),)
        for week, value in enumerate(values):
            made = [estimate(name, "precision", known(value, 0.02)) for name in ("nb", "lr")]
            inside = [estimate("nb", "precision", known(value - 0.1, 0.04), REGIONS[1])]
            north = estimate("nb", "precision", Undefined("too few") if week == 0 else known(0.8, 0.04), REGIONS[0])
            memory.judge(cycle(week), [*made, *inside, north], [(stream(), BREACH if week else OK, "so it is")])
        since = cycle(1).window.start
        memory.incidents.append(Incident(1, stream(), BREACH, "d1", 2, NOW - timedelta(days=1), since=since))
        news = {stream(): News(subject="wrong", more_wrong=50.0, named_segments=named)}
        return facts_of(memory, breaches=news, **changes)

    def test_show_those_that_moved_it_first_and_then_others_with_gaps(self):
        found = assemble(self.facts(), NOW).summary.places
        assert [(place.name, place.moved_it) for place in found.places] == [
            ("region=south", True),
            ("region=north", False),
        ]
        assert found.places[0].values == pytest.approx((0.7, 0.5))
        assert found.places[1].values == (None, pytest.approx(0.8))
        assert (found.since, found.limit.floor) == (cycle(1).window.start, 0.78)

    def test_are_five_at_most_the_largest_of_the_others(self):
        facts = self.facts()
        several = [type(REGIONS[0])("region", f"r{number}") for number in range(9)]
        atom = replace(facts.atoms[0], segments={one: number for number, one in enumerate(several)})
        found = assemble(replace(facts, atoms=(atom,)), NOW).summary.places
        assert [place.name for place in found.places] == ["region=south", *(f"region=r{n}" for n in (8, 7, 6, 5))]

    def test_of_other_columns_are_not_among_them(self):
        facts = self.facts()
        atom = replace(facts.atoms[0], segments={**facts.atoms[0].segments, type(REGIONS[0])("device", "tv"): 900})
        found = assemble(replace(facts, atoms=(atom,)), NOW).summary.places
        assert [place.name for place in found.places] == ["region=south", "region=north"]

    def test_are_not_drawn_where_no_segment_is_named(self):
        assert assemble(self.facts(named=()), NOW).summary.places is None

    def test_are_not_drawn_where_nothing_is_broken(self):
        facts = self.facts()
        ended = tuple(replace(one, resolved_at=NOW) for one in facts.incidents)
        assert assemble(replace(facts, incidents=ended), NOW).summary.places is None

    def test_are_of_the_breach_that_does_most_harm(self):
        facts = self.facts()
        other = Incident(2, stream("lr"), BREACH, "d2", 2, NOW, since=cycle(1).window.start)
        for harm, classifier in ((40.0, "nb"), (60.0, "lr")):
            news = {
                **facts.breaches,
                stream("lr"): News(subject="wrong", more_wrong=harm, named_segments=("region=south",)),
            }
            both = replace(facts, incidents=(*facts.incidents, other), breaches=news)
            assert assemble(both, NOW).summary.places.classifier == classifier


def test_before_anything_is_judged_there_are_lines_without_values():
    found = summary(Memory(panel("a")))
    assert [(row.name, row.state, row.flags) for row in found.rows] == [("a", None, None)]
    assert (found.notes, found.places, found.flags) == ((), None, None)


def test_what_else_is_open_is_told_beside_the_breach_of_the_headline():
    memory = by_state(a=BREACH, b=OK)
    ours = Incident(1, stream("a"), BREACH, "d", 1, NOW)
    other = Incident(2, stream("gone"), BREACH, "e", 1, NOW)
    for incidents, told in (((ours,), ()), ((ours, other), ("2 incidents open",))):
        memory.incidents = list(incidents)
        found = assemble(facts_of(memory, breaches={stream("a"): News(subject="wrong")}), NOW).headline
        assert found.sentence == "wrong."
        assert tuple(line.partition(":")[0] for line in found.details) == told
