"""stratawatch check: what is wrong, with its place and a remedy; and what was found."""

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.printing import count_text, print_json, say


def check(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Read the configuration and look at source, store, queue and alert channels. Nothing is sent.

    Exit status 1 when anything is wrong.

    \b
    Examples:
      stratawatch check
      stratawatch check --json | jq -r '.problems[].problem'
    """
    from stratawatch.cli.inspection import inspect

    seen = inspect(config)
    if json:
        problems = [
            {
                "place": problem.where,
                "line": problem.line,
                "variable": problem.variable,
                "problem": problem.sentence,
            }
            for problem in seen.problems
        ]
        print_json({"config": config.absolute(), "ok": not problems, "problems": problems, "found": seen.found})
    else:
        for part, facts in seen.found.items():
            say(part)
            for name, fact in facts.items():
                say(f"{name}: {fact}", indent="  ")
        if seen.found:
            say()
        for problem in seen.problems:
            say(problem.where or config.name)
            say(problem.sentence, indent="  ")
        say(f"{count_text(len(seen.problems), 'problem')} found" if seen.problems else "Everything is in order.")
    if seen.problems:
        raise typer.Exit(1)
