"""stratawatch doctor: whether what runs this installation is well, line by line."""

from dataclasses import asdict

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json, print_line
from stratawatch.formatting import count_text

SIGNS = {"ok": "  ", "warning": "! ", "trouble": "✖ "}


def doctor(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Look at versions, store, server, schedule, leases, queue, channels, clock and disk; nothing is sent or written.

    Each line is ok, a warning or a trouble, with what to do. Exit status 1 when there is a trouble. `check` looks at
    the configuration and the predictions.

    \b
    Examples:
      stratawatch doctor
      stratawatch doctor --json | jq '.findings[] | select(.state != "ok")'
    """
    from stratawatch.cli.doctor_findings import examine

    findings = examine(config)
    counts = {state: sum(one.state == state for one in findings) for state in SIGNS}
    if json:
        print_json({"ok": not counts["trouble"], "findings": [asdict(one) for one in findings]})
    else:
        for one in findings:
            print_line(f"{SIGNS[one.state]}{one.part}: {one.state}, {one.fact}")
            if one.remedy:
                print_line(one.remedy, indent="    ")
        print_line(f"{count_text(counts['trouble'], 'trouble')}, {count_text(counts['warning'], 'warning')}")
    if counts["trouble"]:
        raise typer.Exit(1)
