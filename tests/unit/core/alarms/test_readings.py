import pytest

from stratawatch.core.alarms.readings import readings
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined

NOTHING = Undefined("no label came")


def window(value, half=0.04, labels=300, confidence=0.95):
    result = NOTHING if value is None else IntervalEstimate(value, value - half, value + half, 200.0)
    return Estimate("lr", "recall", None, result, 0 if value is None else labels, "test", confidence)


def read(*values, first_use=1.0, **facts):
    return readings([window(value, **facts) for value in values], first_use)


def ends(reading):
    return [reading.interval.low, reading.interval.value, reading.interval.high]


class TestReadings:
    def test_are_this_window_the_last_4_and_the_last_13(self):
        found = read(*[0.9] * 9, 0.80, 0.82, 0.84, 0.86)
        assert ends(found.now) == pytest.approx([0.82, 0.86, 0.90])
        assert ends(found.few) == pytest.approx([0.81, 0.83, 0.85])  # .04/sqrt(4)
        mean = (9 * 0.9 + 4 * 0.83) / 13
        assert ends(found.many) == pytest.approx([mean - 0.04 / 13**0.5, mean, mean + 0.04 / 13**0.5])
        assert found.last.interval.value == pytest.approx(0.85)
        assert [one.labels for one in found.each] == [300, 1200, 3900]

    def test_do_not_look_at_older_windows(self):
        assert read(0.1, *[0.8] * 13) == read(0.9, *[0.8] * 13)

    def test_are_of_the_windows_that_there_are(self):
        found = read(0.8, 0.9)
        assert found.few == found.many == found.last
        assert (found.few.windows, found.few.interval.value) == (2, pytest.approx(0.85))

    def test_of_the_first_window_are_alike(self):
        found = read(0.8)
        assert {one.interval for one in found.each} == {window(0.8).result}

    def test_are_wider_where_labels_were_used_before(self):
        """Half of them for four windows: 1 + 2 (3/8 + 1/8 + 1/32) = 2.0625."""
        few, again = read(*[0.8] * 4).few, read(*[0.8] * 4, first_use=0.5).few
        assert again.interval.half_width == pytest.approx(few.interval.half_width * 2.0625**0.5)
        assert read(*[0.8] * 4, first_use=0.5).now == read(*[0.8] * 4).now

    def test_leave_out_a_window_without_a_value(self):
        found = read(0.8, 0.8, None, 0.9)
        assert (found.few.windows, found.few.labels) == (4, 900)
        assert ends(found.few) == pytest.approx([0.8333 - 0.04 / 3**0.5, 0.8333, 0.8333 + 0.04 / 3**0.5], abs=1e-4)
        assert found.last.interval.value == 0.9

    def test_without_a_value_of_this_window_are_two(self):
        found = read(0.8, 0.8, None)
        assert (found.now, len(found.each), found.last.interval.value) == (None, 2, 0.8)

    def test_without_a_value_of_two_windows_are_undefined(self):
        assert read(*[0.8] * 11, None, None) == NOTHING
        assert read(None) == NOTHING
        assert readings([], 1.0).reason == "it was not estimated"

    def test_have_the_confidence_of_this_window(self):
        """A window whose interval has 90% is as uncertain as one with a wider interval of 95%."""
        old, new = window(0.8, 0.0336, confidence=0.9), window(0.8, 0.04)
        found = readings([old, new], 1.0).few
        assert found.confidence == 0.95
        assert found.interval.half_width == pytest.approx(0.04 / 2**0.5, rel=0.01)


class TestWords:
    def test_name_the_windows_where_there_are_several(self):
        found = read(*[0.8] * 4)
        assert found.now.text == "80.0% (76.0 to 84.0, 95%)"
        assert found.few.text == "over the last 4 windows 80.0% (78.0 to 82.0, 95%)"
        assert found.few.labels_text == "1,200 labels"
