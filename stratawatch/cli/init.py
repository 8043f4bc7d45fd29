"""stratawatch init: a commented configuration and an empty store."""

from pathlib import Path
from secrets import token_hex
from typing import Annotated, Final

import typer

from stratawatch.atomic_files import create_file, replace_file, require_ordinary_file
from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json, print_line
from stratawatch.errors import StratawatchError
from stratawatch.extras import require

EXAMPLE_SEED: Final = '"toxicity-1"'


def init(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the configuration; the old one stays beside it as .bak.")
    ] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Bring an older store to this program's schema; back it up first.")
    ] = False,
) -> None:
    """Write a commented stratawatch.toml, create the store and the queue's folder. What is there already is kept.

    \b
    Examples:
      stratawatch init                     in an empty folder
      stratawatch init --upgrade           after an update of stratawatch
    """
    require("pipeline")
    wrote = _write_config(config, force=force)
    before, after = _prepare_store(config, upgrade=upgrade)
    queue, trouble = _prepare_queue(config)
    if json:
        facts = {"config": config.absolute(), "wrote_config": wrote, "store_before": before, "store": after}
        print_json({**facts, "queue": queue, "queue_trouble": trouble or None})
        return
    print_line(f"wrote {config}" if wrote else f"kept {config}")
    print_line({"empty": "created the store", "older": "upgraded the store"}.get(before, "the store is ready"))
    print_line(trouble or f"the label queue is {queue}")
    if wrote:
        print_line(f"Edit {config} now: question, source, columns, classifiers. Then run `stratawatch check`.")


def template() -> str:
    """The commented configuration, as it is shipped."""
    from stratawatch import config

    return (Path(config.__file__).parent / "template.toml").read_text(encoding="utf-8")


def _write_config(path: Path, *, force: bool) -> bool:
    if path.exists() and not force:
        return False
    # A seed of its own: two installations with one seed would draw the same items.
    text = template().replace(EXAMPLE_SEED, f'"{token_hex(8)}"', 1)
    content = text.encode()
    try:
        require_ordinary_file(path)
        if path.exists():
            path.with_name(f"{path.name}.bak").write_bytes(path.read_bytes())
            replace_file(path, content)
            return True
        path.parent.mkdir(parents=True, exist_ok=True)
        return create_file(path, content)
    except OSError as trouble:
        raise StratawatchError(f"{path} cannot be written", got=trouble.strerror or type(trouble).__name__) from None


def _prepare_store(path: Path, *, upgrade: bool) -> tuple[str, str]:
    from stratawatch.adapters.store import migrate, schema_state
    from stratawatch.config.loading import load_configuration
    from stratawatch.wiring import open_store

    configuration = load_configuration(path)
    url = configuration.store_url().get_secret_value()
    before = schema_state(url)
    if before == "empty" or (before == "older" and upgrade):
        migrate(url)
    open_store(configuration)  # says what to do when it is older or newer
    return before, schema_state(url)


def _prepare_queue(path: Path) -> tuple[str, str]:
    """Make the label queue and mark it as this store's; returns where it is, and what kept it from being marked."""
    from stratawatch.engine.labels.queue_identity import require_queue
    from stratawatch.wiring import build

    ports = build(path, only_reading=True).ports
    try:
        require_queue(ports)
    except StratawatchError as trouble:
        return ports.queue.where, str(trouble)
    return ports.queue.where, ""
