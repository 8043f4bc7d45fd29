"""Old names of arguments still work, and say what they are called now."""

import warnings

import pytest

from stratawatch.core.goals import Goal, Limit


@pytest.mark.parametrize("record", [Goal, Limit])
class TestOldNames:
    def test_are_taken_with_a_warning_at_the_callers_line(self, record):
        with pytest.warns(DeprecationWarning, match="`classifiers` now") as caught:
            made = record("precision", 0.05, of=("lr",))
        assert made == record("precision", 0.05, classifiers=("lr",))
        assert caught[0].filename == __file__

    def test_beside_the_new_name_are_refused(self, record):
        with pytest.raises(TypeError, match="got `classifiers` and its old name `of`"):
            record("precision", 0.05, of=("lr",), classifiers=("rf",))

    def test_new_names_warn_of_nothing(self, record):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert record("precision", 0.05, classifiers=("lr",)).classifiers == ("lr",)
