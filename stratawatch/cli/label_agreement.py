"""stratawatch labels agreement: how far annotators agree about the same items."""

from typing import TYPE_CHECKING, Any

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, PanelOption, chosen_panels
from stratawatch.cli.output import print_json, print_line
from stratawatch.cli.table_output import show_rows
from stratawatch.formatting import confidence_text, count_text

if TYPE_CHECKING:
    from stratawatch.core.estimation.agreement import AnnotatorAgreement
    from stratawatch.engine.ports.transaction import Transaction


def agreement(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, panel: PanelOption = None) -> None:
    """How far annotators agree about the items that two or more of them answered, and each with the others.

    Krippendorff's alpha is 1 where they always agree and 0 where they agree as often as by chance. It needs items with
    two answers: `votes = 2` or more in the panel. Only answers to the question that is asked today are counted.

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
        show_rows(
            [
                {
                    "annotator": row["name"],
                    "yes": f"{row['yes']:,}",
                    "no": f"{row['no']:,}",
                    "answers beside": f"{row['pairs']:,}",
                    "the same": f"{row['agreeing'] / row['pairs']:.1%}" if row["pairs"] else "",
                }
                for row in one["annotators"]
            ],
            numbers=("yes", "no", "answers beside", "the same"),
        )


def _found(tx: "Transaction", name: str) -> dict[str, Any]:
    from stratawatch.core.estimate import Undefined
    from stratawatch.core.estimation.agreement import agreement, annotator_agreements, latest_answers

    question = tx.panels.question_key(tx.panels.latest()[name])
    events = tx.labels.of_panel(name, question)
    answers = latest_answers((item, event.annotator, event.value) for item, event in events)
    whole = agreement(answers)
    told = (
        {"alpha": None, "low": None, "high": None, "reason": whole.reason}
        if isinstance(whole, Undefined)
        else {"alpha": whole.alpha, "low": whole.low, "high": whole.high, "reason": ""}
    )
    return {
        "panel": name,
        **told,
        "confidence": 0.95,
        "items": sum(len(words) > 1 for words in answers.values()),
        "annotators": [_row(one) for one in annotator_agreements(answers)],
    }


def _row(one: "AnnotatorAgreement") -> dict[str, Any]:
    return {"name": one.annotator, "yes": one.yes, "no": one.no, "pairs": one.pairs, "agreeing": one.agreeing}


def _sentence(found: dict[str, Any]) -> str:
    if found["alpha"] is None:
        return f"{found['panel']}: cannot tell how far annotators agree: {found['reason']}"
    ends = f"{found['low']:.2f} to {found['high']:.2f}, {confidence_text(found['confidence'])}"
    return f"{found['panel']}: alpha {found['alpha']:.2f} ({ends}) over {count_text(found['items'], 'item')}"
