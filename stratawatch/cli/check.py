"""stratawatch check: every problem of an installation, with its place and a remedy, and what was found."""

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption, NowOption, moment
from stratawatch.cli.output import print_json, print_line
from stratawatch.cli.refused_windows import show_refused
from stratawatch.formatting import count_text


def check(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, now: NowOption = None) -> None:
    """Read the configuration and look at source, store, queue and alert channels. Nothing is sent.

    Exit status 1 when anything is wrong.

    \b
    Examples:
      stratawatch check
      stratawatch check --json | jq -r '.problems[].problem'
    """
    from stratawatch.cli.check_report import check_installation
    from stratawatch.engine.ports.clock import FixedClock, SystemClock

    acted_at = moment(now)
    report = check_installation(config, SystemClock() if acted_at is None else FixedClock(acted_at))
    if json:
        problems, notices = (
            [
                {
                    "place": problem.where,
                    "line": problem.line,
                    "variable": problem.variable,
                    "problem": problem.sentence,
                }
                for problem in several
            ]
            for several in (report.problems, report.notices)
        )
        found = {
            "ok": not problems,
            "problems": problems,
            "notices": notices,
            "refused": report.refused,
            "found": report.found,
            "pages": report.pages,
        }
        print_json({"config": config.absolute(), **found, "pages": report.pages})
    else:
        for part, facts in report.found.items():
            print_line(part)
            for name, fact in facts.items():
                print_line(f"{name}: {fact}", indent="  ")
        if report.found:
            print_line()
        for problem in (*report.notices, *report.problems):
            print_line(problem.where or config.name)
            print_line(problem.sentence, indent="  ")
        show_refused(report.refused)
        fine = "Everything else is in order." if report.refused else "Everything is in order."
        print_line(f"{count_text(len(report.problems), 'problem')} found" if report.problems else fine)
    if report.problems:
        raise typer.Exit(1)
