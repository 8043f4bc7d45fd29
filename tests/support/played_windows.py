"""Windows of an installation that are opened and answered until they are judged."""

from tests.unit.cli.conftest import Installation


def play(home: Installation, day: str, *how: str) -> None:
    """Open the window that ended on this day of January, and answer until it is judged."""
    for hour, *command in (("06", "open", *how), ("06", "advance"), ("08", "advance"), ("09", "advance")):
        home.run(*command, "--now", f"2026-01-{day}T{hour}:00:00+00:00")
        before = set((home.folder / "queue" / "in").glob("*"))
        home.answer()
        for reply in {*(home.folder / "queue" / "in").glob("*")} - before:
            reply.write_text(reply.read_text().replace("2026-01-12T07", f"2026-01-{day}T07"))
