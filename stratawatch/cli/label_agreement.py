"""stratawatch labels agreement: how far annotators agree about the same items, and what their disagreement implies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from stratawatch.cli.gold import ends_text
from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, PanelOption, chosen_panels
from stratawatch.cli.output import metric_text, print_json, print_line
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import confidence_text, count_text

if TYPE_CHECKING:
    from stratawatch.core.estimate import Undefined
    from stratawatch.core.estimation.agreement import AnnotatorAgreement
    from stratawatch.core.estimation.vote_errors import VoteErrors
    from stratawatch.engine.ports.transaction import Transaction

LEAST_SHIFT: Final = 0.001


def agreement(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, panel: PanelOption = None) -> None:
    """How far annotators agree about the items that two or more of them answered, and each with the others.

    Krippendorff's alpha is 1 where they always agree and 0 where they agree as often as by chance. It needs items with
    two answers: `votes = 3` in the panel, or second votes. Only answers to the question of today are counted.

    Items with three answers also tell how often single answers err, if people err independently, and what the newest
    estimates would be without that. Errors that all make together are only seen by gold items: `labels gold`.

    \b
    Examples:
      stratawatch labels agreement
      stratawatch labels agreement --panel toxicity --json
    """
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    with installation.ports.store.begin() as tx:
        names = chosen_panels(panel, list(tx.panels.latest()))
        found = [_found(tx, name) for name in names]
    if json:
        print_json({"panels": found})
        return
    for one in found:
        print_line(_sentence(one))
        first = next(iter(one["annotators"]), None)
        show_rows(
            [
                {
                    "annotator": row["name"],
                    "yes": f"{row['yes']:,}",
                    "no": f"{row['no']:,}",
                    "skips": f"{row['skips']:,}",
                    "answers beside": f"{row['pairs']:,}",
                    "the same": f"{row['agreeing'] / row['pairs']:.1%}" if row["pairs"] else "",
                    **_rates_of(row, one),
                }
                for row in one["annotators"]
            ],
            how_to_read=_how_to_read(first) if first else "",
            numbers=("yes", "no", "skips", "answers beside", "the same", "finds yes", "finds no"),
        )
        if one["second_votes"]:
            print_line("Second answers are asked for where the first is yes: about other items people agree more.")
        for line in _implied_lines(one):
            print_line(line)


def _how_to_read(row: dict[str, Any]) -> str:
    """An annotator's answers in a sentence."""
    said = f"{row['name']} said yes {row['yes']:,} and no {row['no']:,} times"
    return f"{said}; of {row['pairs']:,} answers of others on the same items {row['agreeing']:,} were the same"


def _found(tx: "Transaction", name: str) -> dict[str, Any]:
    from stratawatch.core.estimate import Undefined
    from stratawatch.core.estimation.agreement import agreement, annotator_agreements, latest_answers, latest_skips
    from stratawatch.core.estimation.vote_errors import vote_errors
    from stratawatch.engine.labels.implied_errors import said_answers

    spec = tx.panels.latest()[name]
    said = said_answers(tx, spec)
    answers = latest_answers(said)
    whole, errors = agreement(answers), vote_errors(answers)
    told = (
        {"alpha": None, "low": None, "high": None, "reason": whole.reason}
        if isinstance(whole, Undefined)
        else {"alpha": whole.alpha, "low": whole.low, "high": whole.high, "reason": ""}
    )
    return {
        "panel": name,
        **told,
        "confidence": 0.95,
        "second_votes": spec.second_votes,
        "items": sum(len(words) > 1 for words in answers.values()),
        "annotators": [_row(one, errors) for one in annotator_agreements(answers, latest_skips(said))],
        "errors": _errors(errors),
        "implied": [] if isinstance(errors, Undefined) else _implied(tx, name, errors),
    }


def _row(one: "AnnotatorAgreement", errors: "VoteErrors | Undefined") -> dict[str, Any]:
    found = {rates.annotator: rates for rates in getattr(errors, "annotators", ())}.get(one.annotator)
    return {
        "name": one.annotator,
        "yes": one.yes,
        "no": one.no,
        "skips": one.skips,
        "pairs": one.pairs,
        "agreeing": one.agreeing,
        "sensitivity": found.sensitivity if found else None,
        "specificity": found.specificity if found else None,
    }


def _errors(errors: "VoteErrors | Undefined") -> dict[str, Any]:
    """The errors of single votes as JSON, or why they cannot be told."""
    names = ("sensitivity", "specificity", "wrong_majorities", "items")
    return {**{name: getattr(errors, name, None) for name in names}, "reason": getattr(errors, "reason", "")}


def _implied(tx: "Transaction", name: str, errors: "VoteErrors") -> list[dict[str, Any]]:
    """The newest estimates beside what they would be without those errors."""
    from dataclasses import asdict

    from stratawatch.engine.labels.implied_errors import implied_values

    newest = tx.estimates.history(name, newest=1)
    return [asdict(one) for cycle, revision in newest for one in implied_values(tx, cycle, errors, revision.estimates)]


def _rates_of(row: dict[str, Any], found: dict[str, Any]) -> dict[str, str]:
    """How much of the positives and negatives an annotator finds, in columns that are there if anybody's is known."""
    if found["errors"]["reason"]:
        return {}
    return {"finds yes": ends_text(row["sensitivity"]), "finds no": ends_text(row["specificity"])}


def _implied_lines(found: dict[str, Any]) -> Iterator[str]:
    """What disagreement implies, and the estimates that it moves by a tenth of a point or more."""
    errors = found["errors"]
    if errors["reason"]:
        return
    rates = (
        f"{ends_text(errors['sensitivity'])} of the positives and {ends_text(errors['specificity'])} of the negatives"
    )
    yield f"If people err independently, an answer finds {rates}."
    yield f"Then {errors['wrong_majorities']:.1%} of the majorities are wrong."
    yield "Each annotator's rates follow from disagreement too: nobody's answers were compared with the truth."
    moved = [row for row in found["implied"] if abs(row["implied"] - row["value"]) >= LEAST_SHIFT]
    for row in moved:
        name = f"{metric_text(row['metric'])} of {row['classifier']}"
        yield f"  {name}: {row['value']:.1%}, and {row['implied']:.1%} without that"


def _sentence(found: dict[str, Any]) -> str:
    if found["alpha"] is None:
        return f"{found['panel']}: cannot tell how far annotators agree: {found['reason']}"
    ends = f"{found['low']:.2f} to {found['high']:.2f}, {confidence_text(found['confidence'])}"
    return f"{found['panel']}: alpha {found['alpha']:.2f} ({ends}) over {count_text(found['items'], 'item')}"
