"""Says what a changed question costs, while it can still be taken back."""

from datetime import datetime
from typing import TYPE_CHECKING

from stratawatch.config.problems import Place, Problem
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.labels.question_change import QuestionChange
    from stratawatch.engine.model.panel_spec import PanelSpec
    from stratawatch.engine.ports.transaction import Transaction


def question_notice(
    tx: "Transaction", spec: "PanelSpec", now: datetime, guideline_key: str = "guideline"
) -> Problem | None:
    """What the panel's next cycle asks anew because its question or guideline changed; None where neither did.

    `guideline_key` is the key that brings the guideline.
    """
    from stratawatch.engine.labels.question_change import question_change

    change = question_change(tx, spec, now)
    if change is None:
        return None
    key, name = _changed_key(spec, change, guideline_key)
    asked = (
        f", nor are answers for {count_text(change.items_asked, 'item')} that people were asked about and that are not "
        "there or not read yet"
    )
    found = f"; {count_text(change.labels_found, 'label')} of the same question from before count again"
    what = (
        f"the {name} of panel '{spec.name}' changed, so its next cycle asks another question: "
        f"{count_text(change.labels_lost, 'label')} of the former question are not reused"
        f"{asked if change.items_asked else ''}, items that are drawn again "
        f"are asked about again, and plans begin without a history{found if change.labels_found else ''}"
    )
    return Problem(("panels", spec.name, *key), what, hint=_hint(change, name))


def _changed_key(spec: "PanelSpec", change: "QuestionChange", guideline_key: str) -> tuple[Place, str]:
    if change.before.question != spec.question:
        return ("question",), "question"
    if spec.guideline_version is not None:
        return ("guideline_version",), "guideline_version"
    return (guideline_key,), "guideline"


def _hint(change: "QuestionChange", name: str) -> str:
    """How the question stays the same, where only its guideline was mended."""
    if name == "question":
        return ""
    version = change.before.guideline_version or change.key_before
    return f'if the guideline was only mended, guideline_version = "{version}" keeps it the same question'
