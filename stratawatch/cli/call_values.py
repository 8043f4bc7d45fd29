"""What to write where calls are words of one's own: which value of a column means yes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratawatch.engine.input.assess_window import WindowAssessment
    from stratawatch.engine.model.panel_spec import PanelSpec


def call_yes_hint(spec: "PanelSpec", assessed: "WindowAssessment") -> str:
    """The keys that would let the calls be read which could not; empty where all could. Equal ones are said once."""
    keys: dict[str, list[str]] = {}
    for name, key in _keys(spec, assessed):
        keys.setdefault(key, []).append(f"'{name}'")
    return "; ".join(f"{key} for {', '.join(names)}" for key, names in keys.items())


def _keys(spec: "PanelSpec", assessed: "WindowAssessment") -> Iterator[tuple[str, str]]:
    """Classifiers whose calls are other words than yes and no, each with what to write."""
    from stratawatch.config.proposals.written_proposal import text_value
    from stratawatch.config.proposals.yes_values import sure_word
    from stratawatch.engine.input.bad_row_reasons import call_key, quoted, unreadable_values

    for one in spec.classifiers:
        values = unreadable_values(call_key(one), assessed.bad_rows)
        if one.call is None or one.call_yes is not None or not values:
            continue
        listed, word = ", ".join(map(quoted, values)), sure_word(values)
        if word is None:
            yield one.name, f"say which value means yes ({listed}): call_yes = ..."
        else:
            yield one.name, f"write call_yes = {text_value(word)}, if that is what means yes ({listed})"
