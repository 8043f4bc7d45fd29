"""What `plan` says before its tables: what it goes by, how many labels all goals need, and where a cycle would stop."""

from typing import Any

from stratawatch.cli.output import metric_text
from stratawatch.cli.planned_items import guides
from stratawatch.formatting import count_text


def source_text(document: dict[str, Any]) -> str:
    """What the plan goes by: past labels, or scores and calls."""
    past = count_text(document["past_labels"], "past label")
    if document["from"] == "history":
        return f"Predicted from {past}."
    too_few = f"; {past} are too few" if document["past_labels"] else ""
    return f"Predicted from {guides(document)}{too_few}."


def stopping_text(document: dict[str, Any]) -> str:
    """Where a cycle with stop_rule = "goals" would stop."""
    labels = document["stop"]["labels"]
    near = "at its budget of" if labels >= document["budget"] else "near"
    pilot = "" if document["from"] == "history" else " Without earlier labels it begins with a small round."
    stop = f"such a cycle would stop {near} {count_text(labels, 'label')}, with these intervals."
    return f'With stop_rule = "goals" {stop}{pilot}'


def all_goals_text(document: dict[str, Any]) -> str:
    """How many labels all goals need by scores and if these say nothing, and whether the budget pays for them."""
    together, unscored, budget = (
        document[name] for name in ("labels_for_all_goals", "labels_if_scores_say_nothing", "budget")
    )
    said = f"All goals together need {count_text(together, 'label')}"
    if unscored is not None:
        said += f" {_guesses(document, unscored)}"
    shared = document["budget_for_all_goals"] or 0
    if shared > together:
        others = " and ".join(map(metric_text, document["budget_shared_with"]))
        said += f". A budget is shared out for {others} too, and should be {shared:,} for that"
        enough = "suffices" if unscored is None else "suffices by the better guess"
        verdict = enough if budget >= shared else "does not suffice"
    elif unscored is not None and together <= budget < unscored:
        verdict = "lies between the two"
    else:
        verdict = "suffices" if budget >= together else "does not suffice"
    return f"{said}; the budget of {budget:,} {verdict}."


def _guesses(document: dict[str, Any], unscored: int) -> str:
    """By what guesses labels are counted, and how many it would be by the worse ones."""
    if document["has_scores"]:
        return f"if scores are right, and about {unscored:,} if they say nothing"
    worse = "if half of what is called is wrong and as many positives are missed"
    return f"if calls are as usual, and about {unscored:,} {worse}"
