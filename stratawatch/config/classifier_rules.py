"""Rules about classifiers and columns: how a classifier says yes, and what labellers may see."""

from collections.abc import Iterator

from stratawatch.config.problems import Problem
from stratawatch.config.tables import Table

LABELS_PER_PATTERN = 4
"""Every classifier makes at least one more pattern; fewer labels than two in two strata of each tell nothing."""


def one_call(panel: Table) -> Iterator[Problem]:
    """A classifier's answer comes from `positive` or from `cut_off`, not from both and not from neither."""
    for name, classifier in panel.named("classifiers").items():
        if "positive" in classifier and "cut_off" in classifier:
            yield classifier.problem(
                "cut_off",
                f"classifier '{name}' has both `positive` and `cut_off`",
                hint="keep `positive` when the source has the answer, `cut_off` when only the score is there",
            )
        elif "positive" not in classifier and "cut_off" not in classifier:
            yield classifier.problem(
                None,
                f"classifier '{name}' has neither `positive` nor `cut_off`",
                hint="name the column of its answer, or its cut-off on the score",
            )


def cut_off_on_score(panel: Table) -> Iterator[Problem]:
    """A cut-off cuts a score, and one of a probability lies between 0 and 1."""
    for name, classifier in panel.named("classifiers").items():
        if "cut_off" in classifier and "score" not in classifier:
            yield classifier.problem(
                "cut_off", f"classifier '{name}' has a `cut_off` and no `score`", hint='add score = "column"'
            )
        if "score_kind" in classifier and "score" not in classifier:
            yield classifier.problem("score_kind", f"classifier '{name}' has a `score_kind` and no `score`")
        cut_off = classifier.number("cut_off")
        probability = classifier.text("score_kind") in (None, "probability")
        if cut_off is not None and probability and not 0 < cut_off < 1:
            yield classifier.problem(
                "cut_off",
                "the cut-off of a probability is out of its range",
                expected="more than 0 and less than 1",
                got=str(cut_off),
                hint='a score on another scale has score_kind = "margin"',
            )


def distinct_classifiers(panel: Table) -> Iterator[Problem]:
    """Two classifiers that read the same columns in the same way are one."""
    seen: dict[tuple[object, ...], str] = {}
    for name, classifier in panel.named("classifiers").items():
        answer = classifier.text("positive")
        cut_off = classifier.number("cut_off")
        if answer is None and (classifier.text("score") is None or cut_off is None):
            continue
        reads: tuple[object, ...] = (answer,) if answer is not None else (classifier.text("score"), cut_off)
        reads = (*reads, _called(panel, name, classifier))
        if reads in seen:
            yield classifier.problem(None, f"classifier '{name}' is the same as '{seen[reads]}'", hint="remove one")
        seen.setdefault(reads, name)


def distinct_helpers(panel: Table) -> Iterator[Problem]:
    """An auxiliary score is neither a classifier nor the score of one, which guides the design already."""
    classifiers = panel.named("classifiers")
    scores = {(one.text("score"), _called(panel, name, one)): name for name, one in classifiers.items()}
    for name, helper in panel.named("auxiliary").items():
        if name in classifiers:
            yield helper.problem(None, f"'{name}' is a classifier and an auxiliary score", hint="rename one")
        owner = scores.get((helper.text("score"), _called(panel, name, helper))) if "score" in helper else None
        if owner is not None:
            what = f"the auxiliary score '{name}' is the score of classifier '{owner}'"
            yield helper.problem("score", what, hint="remove it: scores of classifiers guide the design anyway")


def long_tables(panel: Table) -> Iterator[Problem]:
    """What is about tables with a row for each item and classifier goes with the column that says whose row it is."""
    columns = panel.table("columns")
    long = "classifier" in columns
    for key in ("classifiers", "auxiliary"):
        for name, speaker in panel.named(key).items():
            if "called" in speaker and not long:
                hint = "name the column that says whose row it is as `classifier` in `columns`, or remove `called`"
                yield speaker.problem("called", f"'{name}' is `called` something, but the table is not long", hint=hint)
    if long and panel.text("duplicates") == "latest":
        hint = "remove the older rows from the source, or give it a view that does"
        yield panel.problem("duplicates", "the latest of several rows is not found in a long table", hint=hint)
    if long and columns.text("classifier") in (columns.text("item"), columns.text("time")):
        yield columns.problem("classifier", "the classifier needs a column of its own")


def _called(panel: Table, name: str, speaker: Table) -> str | None:
    """Whose rows of a long table are read; None where the table is wide."""
    return (speaker.text("called") or name) if "classifier" in panel.table("columns") else None


def blind_payload(panel: Table) -> Iterator[Problem]:
    """People must not see what models said: it would decide their labels."""
    said = {
        column.casefold(): f"{kind} '{name}'"
        for kind, key in (("classifier", "classifiers"), ("auxiliary score", "auxiliary"))
        for name, speaker in panel.named(key).items()
        for column in (speaker.text("score"), speaker.text("positive"))
        if column is not None
    }
    columns = panel.table("columns")
    for index, column in columns.texts("payload"):
        owner = said.get(column.casefold())
        if owner is not None:
            yield Problem(
                columns.at("payload", index),
                f"the payload shows '{column}', a column of {owner}, to labellers",
                hint="remove it: people label blind",
            )


def columns_once(panel: Table) -> Iterator[Problem]:
    """A column is listed once, and one column has one of the leading roles."""
    columns = panel.table("columns")
    for key in ("payload", "segments"):
        seen: set[str] = set()
        for index, column in columns.texts(key):
            if column.casefold() in seen:
                yield Problem(columns.at(key, index), f"column '{column}' is listed twice in `{key}`")
            seen.add(column.casefold())
    yield from _leading_roles(columns)


def _leading_roles(columns: Table) -> Iterator[Problem]:
    item, time, ingested = (columns.text(key) for key in ("item", "time", "ingested"))
    if item is not None and time is not None and item.casefold() == time.casefold():
        yield columns.problem("time", f"'{time}' is both the item and the time", hint="they are different columns")
    for name, role in ((item, "item"), (time, "time")):
        if ingested is not None and name is not None and ingested.casefold() == name.casefold():
            hint = "`ingested` says when a row arrived; remove it where the source does not know"
            yield columns.problem("ingested", f"'{ingested}' is both the {role} and the time of arrival", hint=hint)


def large_enough(panel: Table) -> Iterator[Problem]:
    """A budget that leaves patterns without labels cannot estimate anything."""
    classifiers = len(panel.named("classifiers"))
    least = LABELS_PER_PATTERN * (classifiers + 1)
    budget = panel.number("budget")
    if budget is not None and 10 <= budget < least:
        yield panel.problem(
            "budget",
            "the budget is too small for this panel",
            expected=f"at least {least} for {classifiers} classifiers",
            got=f"{budget:g}",
            hint="raise it, or watch fewer classifiers",
        )


def guideline_once(panel: Table) -> Iterator[Problem]:
    """People need to be told how to decide, from one place."""
    if "guideline" in panel and "guideline_file" in panel:
        yield panel.problem("guideline_file", "there is a `guideline` and a `guideline_file`", hint="keep one of them")
    elif "guideline" not in panel and "guideline_file" not in panel:
        yield panel.problem(
            None, "'guideline' is missing", hint="say in a few sentences how to decide, or set guideline_file"
        )


def odd_votes(panel: Table) -> Iterator[Problem]:
    """An even number of answers can end in a tie."""
    votes = panel.number("votes")
    if votes is not None and votes > 0 and votes % 2 == 0:
        yield panel.problem("votes", "an even number of votes can tie", expected="1, 3, 5, ...", got=f"{votes:g}")
