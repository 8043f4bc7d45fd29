"""The command line. Nothing heavy is imported until a command needs it."""


def main() -> None:
    """Run the command line; the entry point of the installed program."""
    from stratawatch.cli.app import app

    app(prog_name="stratawatch")
