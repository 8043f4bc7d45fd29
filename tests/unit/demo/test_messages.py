import numpy as np
import pytest

from stratawatch.demo.messages import PREVALENCE, REGIONS, SIGNALS, draw_messages, in_region, with_campaign_signal

NUMBER = 50_000


def draw(seed: int = 1, campaign: float = 0.0):
    return draw_messages(np.random.default_rng(seed), NUMBER, campaign)


class TestDrawMessages:
    def test_six_percent_are_scams(self):
        assert draw().is_scam.mean() == pytest.approx(PREVALENCE, abs=4 * (0.06 * 0.94 / NUMBER) ** 0.5)

    def test_half_of_the_traffic_is_northern(self):
        assert draw().north.mean() == pytest.approx(0.5, abs=0.01)

    def test_every_region_occurs_and_nothing_else(self):
        assert set(np.unique(draw().region)) == set(range(len(REGIONS)))

    def test_the_same_seed_gives_the_same_messages(self):
        assert np.array_equal(draw(7).signals, draw(7).signals)
        assert not np.array_equal(draw(7).signals, draw(8).signals)

    def test_a_campaign_changes_urgency_of_honest_northern_messages_only(self):
        quiet, loud = draw(), draw(campaign=0.2)
        changed = np.any(quiet.signals != loud.signals, axis=1)
        assert np.array_equal(quiet.is_scam, loud.is_scam)
        assert not (changed & (quiet.is_scam | ~quiet.north)).any()
        assert changed.sum() / (~quiet.is_scam & quiet.north).sum() == pytest.approx(0.2, abs=0.02)
        columns = np.flatnonzero((quiet.signals != loud.signals).any(axis=0))
        assert [SIGNALS[column] for column in columns] == ["urgency"]

    def test_scams_stand_out_in_every_signal(self):
        messages = draw()
        assert (
            messages.signals[messages.is_scam].mean(axis=0) > messages.signals[~messages.is_scam].mean(axis=0) + 1
        ).all()


class TestLifted:
    def test_leaves_the_given_signals_alone(self):
        messages = draw()
        before = messages.signals.copy()
        with_campaign_signal(messages.signals, messages.north)
        assert np.array_equal(messages.signals, before)


class TestInside:
    def test_finds_a_region_by_name(self):
        assert in_region(np.array([0, 2, 1, 0]), "south").tolist() == [False, True, False, False]

    def test_an_unknown_region_is_an_error(self):
        with pytest.raises(ValueError, match="not in tuple"):
            in_region(np.array([0]), "east")
