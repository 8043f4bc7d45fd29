"""stratawatch report: write the health report, and send it."""

from typing import Annotated

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, moment
from stratawatch.cli.output import print_json, print_line
from stratawatch.errors import StratawatchError


def report(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    now: NowOption = None,
    send: Annotated[
        bool, typer.Option("--send", help="Let the next advance send it to channels with reports = true.")
    ] = False,
    png: Annotated[
        bool, typer.Option("--png", help="Draw pictures beside each page too, as [report] png = true does.")
    ] = False,
) -> None:
    """Write the HTML health report of every panel, and say where it is.

    One page a panel and day, self-contained, in [report] folder; `latest.html` is always the newest. With --send, word
    of each panel's goes to the channels that ask for reports, once a week however often it is asked for, and not
    with --now.

    With --png there is a folder of pictures beside each day's page: one of all classifiers, and one of each. Mail shows
    the two that matter most.

    \b
    Examples:
      stratawatch report
      stratawatch report --send
      stratawatch report --png
    """
    from stratawatch.engine.model.states import CycleState
    from stratawatch.formatting import count_text
    from stratawatch.report import deliver, write_reports
    from stratawatch.wiring import build

    installation = build(config, moment(now), only_reading=True)
    ports = installation.ports
    folder, now_ = installation.report_folder, ports.clock.now()
    if send and now is not None:
        raise StratawatchError(
            "--send tells people of this week's report, and --now is another moment",
            expected="either --send or --now",
        )
    if send and not ports.report_channels:
        raise StratawatchError(
            "no channel gets reports", expected="`reports = true` in an [[alerts]], such as one of mail or Slack"
        )
    with_pictures = png or installation.settings.report.png
    written = write_reports(
        ports.store,
        installation.panels,
        folder,
        now_,
        paused=ports.paused,
        links=ports.links,
        smallest_cell=installation.settings.report.smallest_cell,
        with_pictures=with_pictures,
    )
    with ports.store.begin() as tx:
        nothing_judged = not tx.cycles.find(states=[CycleState.JUDGED], newest=1)
    home = installation.configuration.folder
    told = deliver(ports, written.views, written.pages, home, written.pictures) if send else {}
    if json:
        print_json(
            {
                "path": written.to_open,
                "nothing_judged": nothing_judged,
                "pictures": {panel: [one.path for one in drawn] for panel, drawn in written.pictures.items()},
                "to_tell": {panel: list(names) for panel, names in told.items()},
            }
        )
        return
    print_line(f"wrote {written.to_open}")
    for drawn in written.pictures.values():
        if drawn:
            print_line(f"drew {count_text(len(drawn), 'picture')} in {drawn[0].path.parent}")
    if nothing_judged:
        print_line("Nothing is judged yet, so it has no estimates. `stratawatch status` says what the cycles wait for.")
    for panel, names in told.items():
        print_line(f"the next advance sends word of {panel} to {', '.join(names)}")
    if send and not told:
        print_line("nothing to send: every channel with reports = true was told this week")
