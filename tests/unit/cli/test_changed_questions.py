"""`check` says what a changed question costs before the next cycle asks it."""

import pytest

from tests.unit.cli.conftest import NOW

LONG = ("budget = 60", 'budget = 60\nlabel_validity = "3650d"')
GUIDELINE = 'guideline = "Spam is what nobody asked for."'
MENDED = 'guideline = "Spam is, what nobody asked for."'


def notices(installation, *changes, more=""):
    installation.configure(LONG, *changes, more=more)
    document = installation.json("check", "--now", NOW)
    assert document["ok"] is True
    return document["notices"]


def test_an_unchanged_question_is_not_mentioned(judged):
    assert notices(judged) == []


def test_a_panel_without_a_cycle_is_not_mentioned(fresh):
    assert notices(fresh, (GUIDELINE, MENDED)) == []


def test_a_changed_question_costs_its_labels(judged):
    (notice,) = notices(judged, ('question = "Is it spam?"', 'question = "Is it junk?"'))
    assert notice["place"] == f"panels.spam.question, line {notice['line']}"
    assert "60 labels of the former question are not reused" in notice["problem"]
    assert "plans begin without a history" in notice["problem"]
    assert "guideline_version" not in notice["problem"]
    assert notice["problem"] in " ".join(judged.run("check", "--now", NOW).stdout.split())


def test_a_mended_guideline_can_be_called_the_same_question(judged):
    (notice,) = notices(judged, (GUIDELINE, MENDED))
    assert notice["place"] == f"panels.spam.guideline, line {notice['line']}"
    _, _, offered = notice["problem"].partition('guideline_version = "')
    version = offered.split('"')[0]
    assert notices(judged, (GUIDELINE, f'{MENDED}\nguideline_version = "{version}"')) == []


def test_another_version_is_another_question(judged):
    assert notices(judged, (GUIDELINE, f'{GUIDELINE}\nguideline_version = "1"')) == []
    (notice,) = notices(judged, (GUIDELINE, f'{MENDED}\nguideline_version = "1"'))
    assert notice["place"] == f"panels.spam.guideline_version, line {notice['line']}"


def test_answers_that_are_still_to_come_or_to_be_read_are_counted_too(fresh):
    fresh.run("open", "--now", NOW)
    fresh.run("advance", "--now", NOW)
    changed = ('question = "Is it spam?"', 'question = "Is it junk?"')
    fresh.answer()
    (notice,) = notices(fresh, changed)
    assert "0 labels of the former question are not reused, nor are answers for 24 items that" in notice["problem"]
    fresh.configure()
    fresh.run("advance", "--now", "2026-01-12T08:00:00+00:00")
    (notice,) = notices(fresh, changed)
    assert "24 labels of the former question are not reused, nor are answers for 36 items" in notice["problem"]


@pytest.mark.parametrize("validity", ["1d"])
def test_labels_that_have_expired_are_no_cost(judged, validity):
    judged.configure(("budget = 60", f'budget = 60\nlabel_validity = "{validity}"'), (GUIDELINE, MENDED))
    (notice,) = judged.json("check", code=1)["notices"]
    assert "0 labels of the former question" in notice["problem"]


def test_the_cost_is_that_of_the_moment_that_is_asked_about(judged):
    """By the machine's clock these labels have expired long ago; in a backfill they have not."""
    judged.configure((GUIDELINE, MENDED), ("budget = 60", 'budget = 60\nlabel_validity = "30d"'))
    (late,) = judged.json("check", code=1)["notices"]
    assert "0 labels of the former question" in late["problem"]
    (then,) = judged.json("check", "--now", "2026-01-12T10:00:00+00:00")["notices"]
    assert "60 labels of the former question are not reused" in then["problem"]


def test_a_guideline_in_a_file_is_found_there(judged):
    (judged.folder / "guide.md").write_text("Look twice.")
    (notice,) = notices(judged, (GUIDELINE, 'guideline_file = "guide.md"'))
    assert notice["place"] == f"panels.spam.guideline_file, line {notice['line']}"


@pytest.mark.parametrize(("arguments", "document"), [((), "outlooks"), (("--dry-run",), "plans")])
def test_a_plan_says_it_too(judged, arguments, document):
    now = ("--now", "2026-01-12T10:00:00+00:00")
    assert judged.json("plan", *arguments, *now)[document][0]["question_change"] is None
    judged.configure((GUIDELINE, MENDED))
    (found,) = judged.json("plan", *arguments, *now)[document]
    assert "60 labels of the former question are not reused" in found["question_change"]
    out = " ".join(judged.run("plan", *arguments, *now).stdout.split())
    assert f"Note: {found['question_change']}." in out
