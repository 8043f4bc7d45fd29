"""What `check` and `plan` say of a configuration that was just proposed, and what to type next."""

import os
import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratawatch.cli.options import DEFAULT_CONFIG
from stratawatch.cli.output import print_line
from stratawatch.cli.plan import plan_documents, show_outlook
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.cli.check_report import CheckReport
    from stratawatch.config.proposals.proposal import Proposal


@dataclass(frozen=True)
class FirstLook:
    """What was found at a moment after the newest window that the predictions fill."""

    config: Path
    now: datetime
    report: "CheckReport"
    outlooks: list[dict[str, Any]]
    plan_trouble: str
    leaves_scores_out: bool = False

    def show(self) -> None:
        """Print the problems or the windows, the first panel's plan, and the next commands."""
        print_line()
        for part, facts in self.report.found.items():
            if part.startswith("source of ") and "newest window" in facts:
                print_line(f"`check`: {part.removeprefix('source of ')}, newest window {facts['newest window']}")
        for problem in self.report.problems:
            print_line(f"`check`: {problem}")
        if not self.report.problems and self.leaves_scores_out:
            print_line(
                "`check`: No problem, but no score is used: the notes above say why. With scores intervals are shorter."
            )
        elif not self.report.problems:
            print_line("`check`: Everything is in order.")
        print_line()
        if self.plan_trouble:
            print_line(f"`plan`: {self.plan_trouble}")
        for outlook in self.outlooks[:1]:
            show_outlook(outlook)
        if len(self.outlooks) > 1:
            print_line()
            print_line(f"`plan` says so of {count_text(len(self.outlooks) - 1, 'other panel')} too.")
        print_line()
        print_line(f"Read {self.config}, and change what is wrong. Then:")
        for command in self.commands:
            print_line(command, indent="  ")

    @property
    def commands(self) -> list[str]:
        """The next commands. The predictions lie in the past, so each says what time it is."""
        now = f"--now {self.now.isoformat()}"
        named = self.config != DEFAULT_CONFIG and "STRATAWATCH_CONFIG" not in os.environ
        config = f" --config {shlex.quote(str(self.config))}" if named else ""
        return [
            f"stratawatch check {now}{config}",
            f"stratawatch plan {now}{config}",
            f"stratawatch open {now} --newest 1{config}",
            f"stratawatch advance {now}{config}",
        ]

    def document(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "now": self.now,
            "ok": not self.report.problems,
            "problems": [
                {"place": one.where, "line": one.line, "problem": one.sentence} for one in self.report.problems
            ],
            "found": self.report.found,
            "outlooks": self.outlooks,
            "plan_trouble": self.plan_trouble or None,
            "next": self.commands,
        }


def first_look(config: Path, proposal: "Proposal") -> FirstLook:
    """Check and plan as at a moment after the newest window that the rows fill. Nothing is sent or stored."""
    from stratawatch.cli.check_report import check_installation
    from stratawatch.engine.ports.clock import FixedClock
    from stratawatch.wiring import build

    now = proposal.schedule.now
    report = check_installation(config, FixedClock(now))
    try:
        installation = build(config, now, only_reading=True)
        outlooks, trouble = plan_documents(installation, list(installation.panels.values())), ""
    except StratawatchError as error:
        outlooks, trouble = [], str(error)
    return FirstLook(config, now, report, outlooks, trouble, proposal.leaves_scores_out)
