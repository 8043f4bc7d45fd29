"""stratawatch backup and restore: the store in one file, and that file in the store's place."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ByOption, ConfigOption, JsonOption, ReasonOption
from stratawatch.cli.output import print_json, print_line, time_text
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.adapters.store.backup import StoreSummary

FileArgument = Annotated[Path, typer.Argument(help="The file of the backup.", metavar="FILE")]


def backup(file: FileArgument, config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Back the store up into a new file, while everything runs on. A file that is there already is never replaced.

    The file can be read by its owner alone; its folder is created where it is missing. Of a store on PostgreSQL the
    command to use is named, with status 2.

    \b
    Examples:
      stratawatch backup "backups/$(date +%F).db"
    """
    from stratawatch.adapters.store.backup import back_up

    summary = back_up(_store_url(config), file)
    if json:
        print_json({"backup": file.absolute(), "bytes": file.stat().st_size, **_facts(summary)})
        return
    print_line(f"backed up the store to {file}: {_text(summary)}")


def restore(
    file: FileArgument,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    by: ByOption = None,
    why: ReasonOption = "",
) -> None:
    """Put a backup in the store's place. The present store stays beside it under another name.

    Stop the flows first: it is refused while another process has the store open or is advancing it. Labels that came
    after the backup are not lost: the next advance reads the queue on from where the backup had read it.

    \b
    Examples:
      stratawatch restore backups/2026-03-09.db
    """
    from stratawatch.adapters.store.backup import put_back

    summary, aside = put_back(_store_url(config), file, datetime.now(UTC))
    if summary.schema_state == "current":
        _note_restored(_store_url(config), file, by, why)
    steps = _next_steps(summary, erased=summary.schema_state == "current" and _erase_again(config, by))
    if json:
        print_json({"restored": file.absolute(), "kept": aside, **_facts(summary), "next": steps})
        return
    print_line(f"restored the store from {file}: {_text(summary)}")
    if aside is not None:
        print_line(f"the store of before is kept as {aside}")
    print_line("What comes next:")
    for number, step in enumerate(steps, 1):
        print_line(f"{number}. {step}", indent="  ")


def _note_restored(url: str, file: Path, by: str | None, why: str) -> None:
    """Note it in the audit log of the restored store; one of an older program has none yet."""
    from stratawatch.adapters.store import open_store
    from stratawatch.engine.model.audit_entry import AuditEntry
    from stratawatch.wiring import user_name

    store = open_store(url)
    with store.begin() as tx:
        tx.audit.add(AuditEntry(datetime.now(UTC), by or user_name(), "restored", f"the store from {file.name}", why))
        tx.commit()
    store.dispose()


def _erase_again(config: Path, by: str | None) -> bool:
    """Erase what was erased since the backup; False where that is left to a person, who must mend something first."""
    from stratawatch.adapters.erasure_list import erasure_list
    from stratawatch.cli.erasures import opened
    from stratawatch.engine.labels.erase_item import erase_again
    from stratawatch.errors import StratawatchError

    try:
        listed = erasure_list(_store_url(config), config.parent).read()
        if listed:
            with opened(config, by) as installation:
                erase_again(installation.ports, listed, "after a restore")
    except StratawatchError:
        return False
    return True


def _store_url(config: Path) -> str:
    """The store's address, also when another part of the configuration is broken."""
    from stratawatch.config.loading import load_configuration
    from stratawatch.config.store_address import read_store_address

    return read_store_address(config) or load_configuration(config).store_url().get_secret_value()


def _facts(summary: "StoreSummary") -> Mapping[str, Any]:
    names = ("schema", "cycles", "label_events", "newest_move")
    return {name: getattr(summary, name) for name in names}


def _text(summary: "StoreSummary") -> str:
    newest = f", as it stood after {time_text(summary.newest_move)}" if summary.newest_move else ""
    return f"{count_text(summary.cycles, 'cycle')}, {count_text(summary.label_events, 'label event')}{newest}"


def _next_steps(summary: "StoreSummary", *, erased: bool) -> list[str]:
    again = "windows that are over are opened again, the queue is read on from where the backup had read it"
    upgrade = "stratawatch init --upgrade: the backup is of an older program"
    return [
        *([upgrade] if summary.schema_state == "older" else []),
        *([] if erased else ["stratawatch labels erase --again: what was erased since the backup is in it"]),
        "stratawatch check: that the queue and the source are those that this store worked with",
        f"stratawatch open, then stratawatch advance, twice: {again}, and what was planned since is planned again",
        "stratawatch status: what each cycle waits for, and labels and batches that wait to be drawn again",
        "start the flows",
    ]
