"""The command line. Nothing heavy is imported until a command needs it."""


def main() -> None:
    """Run the command line; the entry point of the installed program."""
    try:
        from stratawatch.cli.app import app

        app(prog_name="stratawatch")
    except Exception as trouble:  # noqa: BLE001 - whatever it is, people get one sentence and scripts a status
        from stratawatch.cli.unexpected_errors import STATUS, report_unexpected

        report_unexpected(trouble)
        raise SystemExit(STATUS) from None
