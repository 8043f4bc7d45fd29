"""stratawatch labels about and labels erase: what is kept about one item, and its erasure."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stratawatch.cli.options import (
    DEFAULT_CONFIG,
    ByOption,
    ConfigOption,
    JsonOption,
    PanelOption,
    ReasonOption,
    chosen_panels,
)
from stratawatch.cli.output import print_json, print_line
from stratawatch.errors import StratawatchError

if TYPE_CHECKING:
    from stratawatch.adapters.erasure_list import ErasureList
    from stratawatch.engine.labels.erase_item import ErasedItem
    from stratawatch.wiring import Installation

ItemOption = Annotated[str, typer.Option("--item", help="The item's id, as the predictions have it.", metavar="ID")]


def about(
    item: ItemOption, config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False, panel: PanelOption = None
) -> None:
    """Everything that the store keeps about one item: what was drawn and shown, who answered what, what waits.

    \b
    Examples:
      stratawatch labels about --item m-17
      stratawatch labels about --item m-17 --json > m-17.json
    """
    from stratawatch.engine.labels.erase_item import about_item
    from stratawatch.wiring import build

    with build(config, only_reading=True).ports.store.begin() as tx:
        names = chosen_panels(panel, list(tx.panels.latest()))
        kept = {name: about_item(tx, name, item) for name in names}
    if json:
        print_json({"item": item, "panels": kept})
        return
    for name, parts in kept.items():
        print_line(f"{name}: {_numbers({part: len(rows) for part, rows in parts.items()})}")


def erase(
    item: Annotated[str | None, typer.Option("--item", help="The item's id.", metavar="ID")] = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    panel: PanelOption = None,
    again: Annotated[bool, typer.Option("--again", help="Erase the listed items from a restored store.")] = False,
    list_: Annotated[
        Path | None, typer.Option("--list", help="The list of erased items, if not beside the store.", metavar="FILE")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it: there is no way back.")] = False,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Erase one item: its payload goes from the store and the queue, its id becomes a name that says nothing.

    Random number, weight and answers stay, so no estimate changes. Erase the item at its source first: what comes
    again from there is read again. Without --yes it says what would be erased.

    \b
    Examples:
      stratawatch labels erase --item m-17 --yes --why "request 4711"
      stratawatch labels erase --again          after a restore
    """
    from stratawatch.adapters.erasure_list import ErasureList, erasure_list
    from stratawatch.engine.labels.erase_item import erase_again

    if (item is None) != again:
        raise StratawatchError("say what to erase", expected="--item ID, or --again for all that are listed")
    with opened(config, by) as installation:
        url = installation.configuration.store_url().get_secret_value()
        listed = ErasureList(list_) if list_ else erasure_list(url, installation.configuration.folder)
        if item is None:
            found = erase_again(installation.ports, listed.read(), why)
        else:
            found = _erase_item(installation, listed, item, panel, why, yes=yes)
    if json:
        facts = {
            "item": found.digest or None,
            "erased": found.counts,
            "list": listed.path,
            "queue_away": found.away or None,
        }
        print_json(facts)
        return
    print_line(f"erased: {_numbers(found.counts)}")
    if found.away:
        print_line(f"The queue could not be told; the next advance tries again. {found.away}")


@contextmanager
def opened(config: Path, by: str | None) -> "Iterator[Installation]":
    """The installation, whose store is closed afterwards: SQLite then writes its log back, over what was erased."""
    from stratawatch.adapters.store import open_store
    from stratawatch.config.loading import load_configuration
    from stratawatch.wiring import wire

    configuration = load_configuration(config)
    store = open_store(configuration.store_url().get_secret_value())
    try:
        yield wire(configuration, store, only_reading=True, by=by)
    finally:
        store.dispose()


def _erase_item(
    installation: "Installation", listed: "ErasureList", item: str, panel: str | None, why: str, *, yes: bool
) -> "ErasedItem":
    from stratawatch.engine.labels.erase_item import about_item, erase_item
    from stratawatch.engine.model.erasure import is_erased

    if not why.strip() or _says(why, item):
        raise StratawatchError("say why, without the item's id: the reason is kept", expected="--why TEXT")
    if _says(installation.ports.by, item):
        raise StratawatchError("say who does it, without the item's id: the name is kept", expected="--by NAME")
    if is_erased(item):
        raise StratawatchError("that is the name of an item that was erased")
    with installation.ports.store.begin() as tx:
        names = chosen_panels(panel, list(tx.panels.latest()))
        kept = {name: {part: len(rows) for part, rows in about_item(tx, name, item).items()} for name in names}
    if not yes:
        there = "; ".join(f"{name}: {_numbers(parts)}" for name, parts in kept.items())
        raise StratawatchError("nothing was erased: there is no way back", got=there, hint="say --yes to erase it")
    before = {(one.panel, one.digest) for one in listed.read()}
    return erase_item(installation.ports, names, item, before, listed.add, why)


def _says(text: str, item: str) -> bool:
    """Whether a text has the item's id as a word of its own, in any case."""
    return re.search(rf"(?<!\w){re.escape(item)}(?!\w)", text, re.IGNORECASE) is not None


def _numbers(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items() if number) or "nothing"
