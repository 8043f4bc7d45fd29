"""stratawatch report: write the health report."""

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, moment
from stratawatch.cli.output import print_json, print_line


def report(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, now: NowOption = None) -> None:
    """Write the HTML health report of every panel, and say where it is.

    One page a panel and day, self-contained, in [report] folder; `latest.html` is always the newest.

    \b
    Example:
      stratawatch report
    """
    from stratawatch.report import write
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True)
    ports = installation.ports
    folder, now_ = installation.report_folder, ports.clock.now()
    path = write(ports.store, installation.panels, folder, now_, paused=ports.paused, links=ports.links)
    if json:
        print_json({"path": path})
    else:
        print_line(f"wrote {path}")
