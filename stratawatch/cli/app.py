"""All commands in one place, and what happens when one of them fails."""

from typing import Annotated, Any

import typer

from stratawatch.cli import baseline, census, check, cycles, estimates, init, labels, plan, report, run, status
from stratawatch.cli.printing import complain
from stratawatch.cli.quick_commands import QuickCommand, QuickGroup
from stratawatch.errors import StratawatchError
from stratawatch.extras import explained

HELP = """Watch the precision, recall and false-omission rate of deployed classifiers with few human labels.

\b
First steps:
  stratawatch init              write stratawatch.toml, then edit it
  stratawatch check             see what is wrong with it, line by line
  stratawatch plan              see how many labels your goals need
  stratawatch open              open a cycle for every window that is over
  stratawatch advance           move what can move (run it every few minutes)
  stratawatch status            see where everything stands

Every command takes --config FILE (or STRATAWATCH_CONFIG) and --json.

Exit status: 0 done, 1 `check` found problems or `advance` refused a window, 2 it could not be done, 3 a bug.
"""


class Commands(QuickGroup):
    """The command line itself: a user's mistake is one sentence, never a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except StratawatchError as trouble:
            complain(f"stratawatch: {trouble}")
            raise typer.Exit(2) from None
        except ModuleNotFoundError as missing:
            complain(f"stratawatch: {explained(missing)}")
            raise typer.Exit(2) from None
        except SystemExit as ended:  # of a library: our own commands end otherwise
            if ended.code:  # rich's, say, when nobody reads on
                raise
            from stratawatch.cli.bugs import STATUS, tell_bug

            tell_bug(ended)
            raise typer.Exit(STATUS) from None


app = typer.Typer(
    cls=Commands,
    help=HELP,
    add_completion=False,
    rich_markup_mode=None,  # rich's help takes a quarter of a second to import
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("init", short_help="Write a configuration, create the store.")(init.init)
app.command("check", short_help="Say what is wrong, with place and remedy.")(check.check)
app.command("status", cls=QuickCommand, short_help="Where everything stands.")(status.status)
app.command("open", short_help="Open cycles for windows that are over.")(run.open_cycles)
app.command("advance", short_help="Move what can move, once.")(run.advance)
app.command("census", short_help="What a window holds, cut into atoms.")(census.census)
app.command("plan", short_help="How many labels are needed; what a cycle would ask.")(plan.plan)
app.command("estimates", short_help="What is known, with intervals.")(estimates.estimates)
app.command("report", short_help="Write the HTML health report.")(report.report)
app.add_typer(cycles.app, name="cycles", short_help="List, look into, cancel, reopen cycles.")
app.add_typer(baseline.app, name="baseline", short_help="Measure and list what metrics were.")
app.add_typer(labels.app, name="labels", short_help="Export, import, list drawn items.")


@app.callback(invoke_without_command=True)
def _first(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if version:
        from stratawatch import __version__

        typer.echo(f"stratawatch {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
