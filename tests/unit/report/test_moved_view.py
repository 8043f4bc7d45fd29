"""What moved a broken metric, as the report shows it: a row for each segment and side, with both parts."""

from stratawatch.core.alarms.moved import ChangePart, MetricChange, PartDomain, ValueInterval
from stratawatch.core.population import Segment
from stratawatch.report.moved_view import moved_views

NORTH = PartDomain("region", Segment("region", "north"))
NOWHERE = PartDomain("region")
FLAGGED = PartDomain(side="called positive")


def around(value, half=0.02):
    return ValueInterval(value, value - half, value + half)


def part(kind, domain, value, *, is_named=False):
    return ChangePart(kind, domain, around(value), 5.0, is_named)


def change(*parts):
    return MetricChange("nb", "precision", 0.95, around(0.84), around(0.69), around(-0.15), parts, ())


def test_a_row_has_both_parts_of_a_segment_in_the_order_of_the_better_one():
    (found,) = moved_views(
        [change(part("rate", NORTH, -0.14, is_named=True), part("rate", FLAGGED, -0.15), part("mix", NORTH, -0.01))]
    )
    north, flagged = found.rows
    assert (north.name, north.rate, north.mix, north.is_named) == ("region=north", around(-0.14), around(-0.01), True)
    assert (flagged.name, flagged.mix, flagged.is_named) == ("items called positive", None, False)


def test_items_without_a_segment_have_a_name():
    (found,) = moved_views([change(part("mix", NOWHERE, 0.01))])
    assert [(row.name, row.rate) for row in found.rows] == [("no region", None)]


def test_the_sentence_says_from_what_to_what():
    (found,) = moved_views([change(part("rate", NORTH, -0.14))])
    assert found.sentence == (
        "From 84.0% before it began to 69.0% since: −15.0 pts (−17.0 to −13.0). The parts of one column add up to that."
    )


def test_nothing_is_shown_where_a_change_has_no_parts():
    assert moved_views([change()]) == ()
