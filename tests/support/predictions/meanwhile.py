"""What happens to files while a source reads them."""

from collections.abc import Callable


def once_while_read(monkeypatch, engine: type, happens: Callable[[], object], *, after: bool = False) -> None:
    """Let something happen at an engine's next query, before its rows are asked for or when they are there."""
    ask = engine.batches

    def batches(self, sql):
        monkeypatch.setattr(engine, "batches", ask)
        if not after:
            happens()
            return ask(self, sql)
        rows = list(ask(self, sql))
        happens()
        return rows

    monkeypatch.setattr(engine, "batches", batches)
