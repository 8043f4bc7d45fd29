"""stratawatch export: estimates into other tools."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, chosen_panels
from stratawatch.cli.output import print_json, print_line
from stratawatch.errors import ConfigError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.engine.model.mlflow_run import MlflowRun
    from stratawatch.wiring import Installation

app = typer.Typer(
    help="""Put estimates into other tools.

\b
Examples:
  stratawatch export mlflow
""",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _tools() -> None:  # one command alone would be the group itself
    pass


@app.command("mlflow", short_help="Estimates as runs of MLflow.")
def mlflow(
    panel: Annotated[str | None, typer.Argument(help="The panel; all of them without.", metavar="[PANEL]")] = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    newest: Annotated[
        int | None, typer.Option("--newest", min=1, help="Only so many of the newest windows.", metavar="N")
    ] = None,
) -> None:
    """Put estimates into the experiment of [mlflow]: a run for each classifier and window, with interval and labels.

    What is there stays, and is not put there again: run it after `advance` as often as you like. A late label that
    changes a window's estimates makes a run of its own, with the next number in its tag stratawatch.revision.

    \b
    Examples:
      stratawatch export mlflow
      stratawatch export mlflow spam --newest 4
    """
    from stratawatch.adapters.mlflow_server import FINISHED, MlflowServer
    from stratawatch.cli.progress_bar import shown_progress
    from stratawatch.engine.progress import phase, report_progress
    from stratawatch.wiring import build

    installation = build(config, only_reading=True)
    settings = installation.settings.mlflow
    if settings is None:
        raise ConfigError("there is no [mlflow] to export to", hint='add [mlflow] with url = "https://..."')
    context = installation.configuration.context
    token = None if settings.token is None else context.reveal(settings.token)
    server = MlflowServer(settings.url, token, settings.timeout.total_seconds())
    runs = _runs(installation, panel, newest)
    experiment = server.experiment(settings.experiment)
    put = Counter[str]()
    with shown_progress(), phase(f"putting {count_text(len(runs), 'run')} into MLflow"):
        known = {name: server.known(experiment, name) for name in dict.fromkeys(run.panel for run in runs)}
        for done, run in enumerate(runs, 1):
            begun, status = known[run.panel].get(run.key, (None, ""))
            if status == FINISHED:
                put["there"] += 1
            else:
                server.put(experiment, run, begun)
                put["put"] += 1
            report_progress(done / len(runs))
    if json:
        print_json({"experiment": settings.experiment, "put": put["put"], "were_there": put["there"]})
        return
    print_line(f"put {count_text(put['put'], 'run')} into the experiment {settings.experiment} of MLflow")
    if put["there"]:
        print_line(f"{count_text(put['there'], 'run')} {'was' if put['there'] == 1 else 'were'} there already")


def _runs(installation: "Installation", panel: str | None, newest: int | None) -> "list[MlflowRun]":
    """The runs of the windows that were judged, oldest first."""
    from stratawatch.report.mlflow_runs import runs_of

    with installation.ports.store.begin() as tx:
        return [
            run
            for name in chosen_panels(panel, list(tx.panels.latest()))
            for cycle, revision in tx.estimates.history(name, newest=newest)
            for run in runs_of(cycle, revision, tx.alarms.of_cycle(cycle.id))
        ]
