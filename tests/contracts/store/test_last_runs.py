from stratawatch.engine.model.last_run import LastRun
from tests.support.store.examples import MINUTE, NOW


class TestLastRuns:
    def test_there_is_none_at_first(self, store):
        with store.begin() as tx:
            assert tx.last_runs.get("advance") is None

    def test_keep_the_last_and_when_the_last_good_one_was(self, store):
        with store.begin() as tx:
            tx.last_runs.record("advance", NOW, [], good=True)
            tx.last_runs.record("advance", NOW + MINUTE, ["two\nlines", "nul \0"], good=False)
            assert tx.last_runs.get("advance") == LastRun(NOW + MINUTE, NOW, ("two lines", "nul \0"))
            tx.last_runs.record("advance", NOW + 2 * MINUTE, [], good=True)
            assert tx.last_runs.get("advance") == LastRun(NOW + 2 * MINUTE, NOW + 2 * MINUTE, ())
            assert tx.last_runs.get("other") is None
            tx.last_runs.record("panel a", NOW, ["one", "two"], good=False)
            assert tx.last_runs.troubled() == {"panel a": ("one", "two")}

    def test_a_first_one_in_trouble_has_no_good_one(self, store):
        with store.begin() as tx:
            tx.last_runs.record("advance", NOW, ["down"], good=False)
            assert tx.last_runs.get("advance") == LastRun(NOW, None, ("down",))
