"""stratawatch cycles retire: what becomes of the cycles of a panel that left the configuration."""

from typing import Annotated

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, WhyOption
from stratawatch.cli.output import print_json, print_line
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text


def retire(
    panel: Annotated[str, typer.Argument(help="The panel that left.", metavar="PANEL")],
    why: WhyOption,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Give all its cycles up.")] = False,
    finish: Annotated[bool, typer.Option("--finish", help="Label and judge what was drawn.")] = False,
) -> None:
    """Decide what becomes of the cycles of a panel that left the configuration: cancel them, or finish what was drawn.

    Estimates and labels stay in either case. Windows that were not read yet are cancelled: their source is gone.

    \b
    Examples:
      stratawatch cycles retire spam --finish --why "model was replaced"
      stratawatch cycles retire spam --cancel --why "was a trial"
    """
    from stratawatch.engine.cycle.left_panels import retire_panel
    from stratawatch.wiring import build

    if cancel == finish:
        raise StratawatchError("say what becomes of the panel's cycles", expected="--cancel or --finish")
    installation = build(config, by=by)
    ended = retire_panel(installation.ports, panel, set(installation.panels), "cancel" if cancel else "finish", why)
    if json:
        print_json({"panel": panel, "cancelled": list(ended)})
    else:
        rest = "" if cancel else "; the others go on to their judgement"
        print_line(f"{count_text(len(ended), 'cycle')} of {panel} cancelled{rest}")
