"""The command line's commands, and how an error of one of them is shown."""

from typing import Annotated, Any

import typer

from stratawatch.cli import (
    alerts,
    audit,
    backfill,
    backup,
    baseline,
    census,
    check,
    cycles,
    doctor,
    erasures,
    estimates,
    export,
    gold,
    grants,
    incidents,
    init,
    label_agreement,
    label_page,
    labels,
    metrics,
    mistakes,
    open_advance,
    plan,
    report,
    retire,
    silences,
    status,
    web,
)
from stratawatch.cli.output import print_error
from stratawatch.cli.quick_commands import QuickCommand, QuickGroup, config_after_command
from stratawatch.errors import StratawatchError
from stratawatch.extras import explained

HELP = """Watch the precision, recall and false-omission rate of deployed classifiers with few human labels.

\b
First steps:
  stratawatch init --from FILE  write stratawatch.toml for predictions;
                                without --from a template, to be edited
  stratawatch check             see what is wrong with it, line by line
  stratawatch plan              see how many labels your goals need
  stratawatch open              open a cycle for every window that is over;
                                a new panel with several needs --all or
                                --newest N
  stratawatch advance           move what can move (run it every few minutes)
  stratawatch status            see where everything stands

Every command takes --config FILE, before its name or after it (or STRATAWATCH_CONFIG), and --json.

Exit status: 0 done, 1 `check` or `doctor` found trouble or `advance` refused a window, 2 it could not be done, 3 a bug.
"""


class Commands(QuickGroup):
    """The root command, which prints a user's mistake as one sentence, without a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line; `--config` may stand before the command."""
        return super().parse_args(ctx, config_after_command(self, args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except StratawatchError as trouble:
            print_error(f"stratawatch: {trouble}")
            raise typer.Exit(2) from None
        except ModuleNotFoundError as missing:
            print_error(f"stratawatch: {explained(missing)}")
            raise typer.Exit(2) from None
        except SystemExit as ended:  # of a library: our own commands end otherwise
            if ended.code:  # rich's, say, when nobody reads on
                raise
            from stratawatch.cli.unexpected_errors import STATUS, report_unexpected

            report_unexpected(ended)
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
app.command("doctor", short_help="Whether what runs it is well.")(doctor.doctor)
app.command("status", cls=QuickCommand, short_help="Where everything stands.")(status.status)
app.command("open", short_help="Open cycles for windows that are over.")(open_advance.open_cycles)
app.command("backfill", short_help="Open past windows, in any order.")(backfill.backfill)
app.command("advance", short_help="Move what can move, once.")(open_advance.advance)
app.command("census", short_help="What a window holds, cut into atoms.")(census.census)
app.command("plan", short_help="How many labels are needed; what a cycle would ask.")(plan.plan)
app.command("estimates", short_help="Estimates, with intervals.")(estimates.estimates)
app.command("mistakes", short_help="Labelled items that a classifier got wrong.")(mistakes.mistakes)
app.command("report", short_help="Write the HTML health report.")(report.report)
app.command("metrics", short_help="The numbers for Prometheus.")(metrics.metrics)
app.command("web", short_help="Serve the dashboard and the label page.")(web.web)
app.command("invite", short_help="A link to the dashboard for a person.")(web.invite)
app.command("grants", short_help="The rights that users of PostgreSQL need.")(grants.grants)
app.command("audit", short_help="Who did what by hand, when, why.")(audit.audit)
app.command("backup", short_help="Back the store up into a file.")(backup.backup)
app.command("restore", short_help="Put a backup in the store's place.")(backup.restore)
labels.app.command("invite", short_help="A link to the label page.")(label_page.invite)
labels.app.command("revoke", short_help="Close the label page to somebody.")(label_page.revoke)
labels.app.command("annotators", short_help="Who may label at the page.")(label_page.annotators)
labels.app.command("about", short_help="What is kept about one item.")(erasures.about)
labels.app.command("erase", short_help="Erase one item for good.")(erasures.erase)
labels.app.command("gold", short_help="Items whose truth is known.")(gold.gold)
labels.app.command("agreement", short_help="How far annotators agree.")(label_agreement.agreement)
alerts.app.command("show", short_help="What happened to an incident.")(incidents.show)
alerts.app.command("ack", short_help="Say that you look after an incident.")(incidents.ack)
alerts.app.command("silence", short_help="Tell nobody, for a while.")(silences.silence)
alerts.app.command("silences", short_help="What is silent, and until when.")(silences.list_silences)
alerts.app.command("unsilence", short_help="End a silence now.")(silences.unsilence)
cycles.app.command("retire", short_help="End a panel that left.")(retire.retire)
app.add_typer(cycles.app, name="cycles", short_help="List, show, cancel, reopen cycles.")
app.add_typer(alerts.app, name="alerts", short_help="Incidents and who was told; ack, silence.")
app.add_typer(baseline.app, name="baseline", short_help="Measure and list baselines of metrics.")
app.add_typer(export.app, name="export", short_help="Estimates into MLflow.")
app.add_typer(labels.app, name="labels", short_help="Export, import, list drawn items.")


@app.callback(invoke_without_command=True)
def _first(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False
) -> None:
    if version:
        from stratawatch import __version__

        typer.echo(f"stratawatch {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
