"""stratawatch metrics: the numbers of the store for Prometheus."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json, print_line

if TYPE_CHECKING:
    from stratawatch.engine.model.pauses import Pauses


def metrics(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    to: Annotated[
        Path | None, typer.Option("--to", help="Write them to this file instead, whole or not at all.", metavar="FILE")
    ] = None,
) -> None:
    """Print the store's numbers as Prometheus reads them: estimates, states, limits, and what is waited for.

    `stratawatch web` serves the same at /metrics, where [web] has a metrics_token. With --to, node_exporter's textfile
    collector reads them, say from a line of cron behind that of `advance`.

    \b
    Examples:
      stratawatch metrics
      stratawatch metrics --to /var/lib/prometheus/node-exporter/stratawatch.prom
    """
    from stratawatch import __version__
    from stratawatch.atomic_files import replace_text
    from stratawatch.extras import require
    from stratawatch.report.prometheus_text import prometheus_text, samples

    require("metrics")
    document, paused = numbers(config)
    if json:
        print_json({"metrics": samples(document, __version__, paused)})
        return
    text = prometheus_text(document, __version__, paused)
    if to is None:
        typer.echo(text, nl=False)
    else:
        replace_text(to, text)
        print_line(f"wrote {to}")


def numbers(config: Path) -> "tuple[dict[str, Any], Pauses]":
    """The document of `status` with estimates and specifications beside, and what is paused."""
    from stratawatch.adapters.number_queries import BESIDE_STATUS
    from stratawatch.cli.status_document import status_document, status_rows
    from stratawatch.config.store_address import read_panel_names, read_pauses

    paused = read_pauses(config)
    rows = status_rows(config, BESIDE_STATUS)
    document = status_document(rows, read_panel_names(config), datetime.now(UTC), paused)
    return {**document, **{name: rows[name] for name in BESIDE_STATUS}}, paused


def scrape(config: Path) -> Callable[[], str]:
    """What reads the numbers anew for each scrape."""
    from stratawatch import __version__
    from stratawatch.report.prometheus_text import prometheus_text

    def text() -> str:
        document, paused = numbers(config)
        return prometheus_text(document, __version__, paused)

    return text
