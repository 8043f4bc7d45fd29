"""One person has one answer, however the name is written."""

from datetime import UTC, datetime

import pytest

from stratawatch.engine.labels.labelled_cycle import verdicts_of
from stratawatch.engine.model.annotator_names import person
from stratawatch.engine.model.label_events import LabelEvent

SPELLINGS = ["ann", "Ann", " ann", "ANN \t", "a\u200bnn", "\u200b ann", "an\u00adn", "ann\ufe0f", "\u2066ann\u2069"]


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_a_name_are_one_person(name):
    assert person(name) == "ann"


@pytest.mark.parametrize(
    ("name", "same"),
    [("\u00c5ke", "A\u030ake"), ("A\u200b\u030ake", "\u00e5KE"), ("Ann  Lee", "ann\u00a0lee"), ("Straße", "STRASSE")],
)
def test_accents_blanks_and_capitals_of_any_language_are_too(name, same):
    assert person(name) == person(same)


@pytest.mark.parametrize("name", ["anna", "an n", "ann2", "änn", "a.nn"])
def test_other_names_are_other_people(name):
    assert person(name) != "ann"


@pytest.mark.parametrize("name", [*SPELLINGS, "Å", "ΑΣ", "ŉ", "\u200b"])
def test_a_person_of_a_person_is_the_same(name):
    assert person(person(name)) == person(name)


def test_one_person_is_one_of_three_votes():
    at = datetime(2026, 1, 12, tzinfo=UTC)
    said = [LabelEvent("folder", name, "key", name, "yes", at) for name in SPELLINGS]
    assert verdicts_of(said, 3, has_ended=False) == {}
    others = [LabelEvent("folder", name, "key", name, "yes", at) for name in ("bob", "cem")]
    assert verdicts_of([*said, *others], 3, has_ended=False) == {"key": "yes"}


def test_the_last_word_of_a_person_counts_under_whatever_spelling():
    at = datetime(2026, 1, 12, tzinfo=UTC)
    said = [LabelEvent("folder", "1", "key", "Ann", "yes", at), LabelEvent("folder", "2", "key", "ann ", "no", at)]
    assert verdicts_of(said, 1) == {"key": "no"}
    assert verdicts_of([*said, LabelEvent("folder", "3", "key", "ANN", "retract", at)], 1) == {}
