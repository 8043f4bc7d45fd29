"""Rules about classifiers and columns: how a classifier says yes, and what labellers may see."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from stratawatch.config.panel_settings import AuxiliarySettings, ClassifierSettings, ColumnSettings, PanelSettings
from stratawatch.config.problems import Place, Problem
from stratawatch.config.settings import Settings
from stratawatch.core.second_votes import NO_SECOND_VOTES

LABELS_PER_PATTERN: Final = 4
"""Every classifier makes at least one more pattern; fewer labels than two in two strata of each tell nothing."""


def one_call(panel: PanelSettings) -> Iterator[Problem]:
    """A classifier's answer comes from `call` or from `cut_off`, not from both and not from neither."""
    for name, classifier in panel.classifiers.items():
        place = ("classifiers", name)
        if classifier.call is not None and classifier.cut_off is not None:
            yield Problem(
                (*place, "cut_off"),
                f"classifier '{name}' has both `call` and `cut_off`",
                hint="keep `call` when the source has the answer, `cut_off` when only the score is there",
            )
        elif classifier.call is None and classifier.cut_off is None:
            yield Problem(
                place,
                f"classifier '{name}' has neither `call` nor `cut_off`",
                hint="name the column of its answer, or its cut-off on the score",
            )
        if classifier.call_yes is not None and classifier.call is None:
            what = f"classifier '{name}' has a `call_yes` and no `call`"
            hint = 'name the column that holds the value, call = "column", or remove `call_yes`'
            yield Problem((*place, "call_yes"), what, hint=hint)


def cut_off_on_score(panel: PanelSettings) -> Iterator[Problem]:
    """A cut-off cuts a score, and one of a probability lies between 0 and 1."""
    for name, classifier in panel.classifiers.items():
        place, cut_off = ("classifiers", name), classifier.cut_off
        if cut_off is not None and classifier.score is None:
            what = f"classifier '{name}' has a `cut_off` and no `score`"
            yield Problem((*place, "cut_off"), what, hint='add score = "column"')
        if "score_kind" in classifier.model_fields_set and classifier.score is None:
            yield Problem((*place, "score_kind"), f"classifier '{name}' has a `score_kind` and no `score`")
        if cut_off is not None and classifier.score_kind == "probability" and not 0 < cut_off < 1:
            yield Problem(
                (*place, "cut_off"),
                "the cut-off of a probability is out of its range",
                expected="more than 0 and less than 1",
                got=str(cut_off),
                hint='a score on another scale has score_kind = "margin"',
            )


def distinct_classifiers(panel: PanelSettings) -> Iterator[Problem]:
    """Two classifiers that read the same columns in the same way are one."""
    first: dict[tuple[object, ...], str] = {}
    for name, one in panel.classifiers.items():
        if one.call is None and (one.score is None or one.cut_off is None):
            continue
        columns = (one.call, one.call_yes) if one.call is not None else (one.score, one.cut_off)
        reads = (*columns, _rows_of(panel, name, one))
        if reads in first:
            place = ("classifiers", name)
            yield Problem(place, f"classifier '{name}' is the same as '{first[reads]}'", hint="remove one")
        first.setdefault(reads, name)


def distinct_auxiliary_scores(panel: PanelSettings) -> Iterator[Problem]:
    """An auxiliary score is neither a classifier nor the score of one, which guides the design already."""
    scores = {(one.score, _rows_of(panel, name, one)): name for name, one in panel.classifiers.items()}
    for name, one in panel.auxiliary.items():
        place = ("auxiliary", name)
        if name in panel.classifiers:
            yield Problem(place, f"'{name}' is a classifier and an auxiliary score", hint="rename one")
        owner = scores.get((one.score, _rows_of(panel, name, one)))
        if owner is not None:
            what = f"the auxiliary score '{name}' is the score of classifier '{owner}'"
            yield Problem((*place, "score"), what, hint="remove it: scores of classifiers guide the design anyway")


def long_tables(panel: PanelSettings) -> Iterator[Problem]:
    """What is about tables with a row for each item and classifier goes with the column that says whose row it is."""
    columns = panel.columns
    long = columns.classifier is not None
    for place, _, one in _scored(panel):
        if one.called is not None and not long:
            what = f"'{place[-1]}' is `called` something, but the table is not long"
            hint = "name the column that says whose row it is as `classifier` in `columns`, or remove `called`"
            yield Problem((*place, "called"), what, hint=hint)
    if long and panel.duplicates == "latest":
        hint = "remove the older rows from the source, or give it a view that does"
        yield Problem(("duplicates",), "the latest of several rows is not found in a long table", hint=hint)
    if long and columns.classifier in (columns.item, columns.time):
        yield Problem(("columns", "classifier"), "the classifier needs a column of its own")


def blind_payload(panel: PanelSettings) -> Iterator[Problem]:
    """People must not see what models said: it would decide their labels."""
    owners = {
        column.casefold(): f"{kind} '{place[-1]}'"
        for place, kind, one in _scored(panel)
        for column in (one.score, getattr(one, "call", None))
        if column is not None
    }
    for index, column in enumerate(panel.columns.payload):
        owner = owners.get(column.casefold())
        if owner is not None:
            what = f"the payload shows '{column}', a column of {owner}, to labellers"
            yield Problem(("columns", "payload", index), what, hint="remove it: people label blind")


def columns_once(panel: PanelSettings) -> Iterator[Problem]:
    """A column is listed once, and one column has one of the leading roles."""
    for key, columns in (("payload", panel.columns.payload), ("segments", panel.columns.segments)):
        names = [column.casefold() for column in columns]
        for index, column in enumerate(columns):
            if names[index] in names[:index]:
                yield Problem(("columns", key, index), f"column '{column}' is listed twice in `{key}`")
    yield from _leading_roles(panel.columns)


def _leading_roles(columns: ColumnSettings) -> Iterator[Problem]:
    if columns.item.casefold() == columns.time.casefold():
        what = f"'{columns.time}' is both the item and the time"
        yield Problem(("columns", "time"), what, hint="they are different columns")
    for name, role in ((columns.item, "item"), (columns.time, "time")):
        if columns.ingested is not None and columns.ingested.casefold() == name.casefold():
            what = f"'{columns.ingested}' is both the {role} and the time of arrival"
            hint = "`ingested` says when a row arrived; remove it where the source does not know"
            yield Problem(("columns", "ingested"), what, hint=hint)


def large_enough(panel: PanelSettings) -> Iterator[Problem]:
    """A budget that leaves patterns without labels cannot estimate anything."""
    least = LABELS_PER_PATTERN * (len(panel.classifiers) + 1)
    if panel.budget < least:
        yield Problem(
            ("budget",),
            "the budget is too small for this panel",
            expected=f"at least {least} for {len(panel.classifiers)} classifiers",
            got=str(panel.budget),
            hint="raise it, or watch fewer classifiers",
        )


def one_goes_on(panel: PanelSettings) -> Iterator[Problem]:
    """A panel whose every classifier is paused has nothing to watch."""
    if all(one.paused for one in panel.classifiers.values()):
        yield Problem(
            ("classifiers",), "every classifier is paused", hint="write paused = true in the panel's own table"
        )


def guideline_once(panel: PanelSettings) -> Iterator[Problem]:
    """People need to be told how to decide, from one place."""
    if panel.guideline is not None and panel.guideline_file is not None:
        yield Problem(("guideline_file",), "there is a `guideline` and a `guideline_file`", hint="keep one of them")
    elif panel.guideline is None and panel.guideline_file is None:
        hint = "say in a few sentences how to decide, or set guideline_file"
        yield Problem((), "'guideline' is missing", hint=hint)


def odd_votes(panel: PanelSettings) -> Iterator[Problem]:
    """An even number of answers can end in a tie."""
    if panel.votes % 2 == 0:
        yield Problem(("votes",), "an even number of votes can tie", expected="1, 3, 5, ...", got=str(panel.votes))


def second_votes_alone(panel: PanelSettings) -> Iterator[Problem]:
    """Where everybody is asked several times, there is no first answer that others could be asked on account of."""
    if panel.votes > 1 and panel.second_votes != NO_SECOND_VOTES:
        yield Problem(
            ("second_votes",),
            f"every item has {panel.votes} votes already",
            hint="keep one of them: votes = 1 with second_votes costs least",
        )


def votes_are_asked(settings: Settings, _folder: Path) -> Iterator[Problem]:
    """A queue that asks fewer people than a panel needs votes would let every cycle wait until its deadline."""
    asked = settings.queue.answers_asked
    for name, panel in settings.panels.items():
        if asked is not None and panel.votes > asked:
            yield Problem(
                ("panels", name, "votes"),
                "the label queue asks fewer people about an item than the panel needs votes",
                expected=f"at most {asked}",
                got=str(panel.votes),
                hint=f"write votes = {panel.votes} in [queue] too"
                if "votes" in type(settings.queue).model_fields
                else "use a queue of another kind, or votes = 1 and second_votes",
            )


def shared_items(settings: Settings, _folder: Path) -> Iterator[Problem]:
    """Items are told apart by the name of one panel, which has them from nobody else."""
    own = [name for name, panel in settings.panels.items() if panel.same_items_as is None]
    for name, panel in settings.panels.items():
        if panel.same_items_as is not None and panel.same_items_as not in own:
            yield Problem(
                ("panels", name, "same_items_as"),
                f"is no panel that has items of its own: '{panel.same_items_as}'",
                expected=" or ".join(own) or "a panel without `same_items_as`",
            )


def items_asked_twice(settings: Settings) -> Iterator[Problem]:
    """Notice panels that ask the question of another one about items of the same source, each on its own."""
    panels = list(settings.panels.items())
    for number, (name, panel) in enumerate(panels):
        other = next((earlier for earlier, one in panels[:number] if _asks(one) == _asks(panel)), None)
        if other is not None and panel.same_items_as is None:
            yield Problem(
                ("panels", name),
                f"people are asked the same question about the same items for '{other}' and for '{name}'",
                hint=f'`same_items_as = "{other}"` in [panels.{name}] lets a label count in both; or put the '
                "classifiers of both into one panel",
            )


def _asks(panel: PanelSettings) -> tuple[object, ...]:
    """The question, and the items that it is about."""
    return panel.question, panel.guideline, panel.guideline_file, panel.source, panel.columns.item


def _rows_of(panel: PanelSettings, name: str, one: ClassifierSettings | AuxiliarySettings) -> str | None:
    """Whose rows of a long table are read; None where the table is wide."""
    return (one.called or name) if panel.columns.classifier is not None else None


def _scored(panel: PanelSettings) -> Iterator[tuple[Place, str, ClassifierSettings | AuxiliarySettings]]:
    """Classifiers, then auxiliary scores: the place of each, what it is in words, and its settings."""
    for name, classifier in panel.classifiers.items():
        yield ("classifiers", name), "classifier", classifier
    for name, auxiliary in panel.auxiliary.items():
        yield ("auxiliary", name), "auxiliary score", auxiliary
