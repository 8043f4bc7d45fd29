"""stratawatch init: a configuration, commented or proposed from predictions, and an empty store."""

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
    source: Annotated[
        str | None,
        typer.Option("--from", help="Propose it from predictions: a file, a folder or a pattern.", metavar="PATH"),
    ] = None,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the configuration; the old one stays beside it as .bak.")
    ] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Bring an older store to this program's schema; back it up first.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: take what is proposed.")] = False,
    item: Annotated[str | None, typer.Option("--item", help="The column that names items.", metavar="COLUMN")] = None,
    time: Annotated[str | None, typer.Option("--time", help="The time of a prediction.", metavar="COLUMN")] = None,
    question: Annotated[
        str | None, typer.Option("--question", help="What people are asked: yes or no.", metavar="TEXT")
    ] = None,
    panel: Annotated[str | None, typer.Option("--panel", help="The panel's name.", metavar="NAME")] = None,
    payload: Annotated[
        list[str] | None, typer.Option("--payload", help="What people see; may be repeated.", metavar="COLUMN")
    ] = None,
    segment: Annotated[
        list[str] | None, typer.Option("--segment", help="What numbers are sliced by; repeatable.", metavar="COLUMN")
    ] = None,
    score: Annotated[
        list[str] | None, typer.Option("--score", help="These are the scores; repeatable.", metavar="COLUMN")
    ] = None,
    call: Annotated[
        list[str] | None, typer.Option("--call", help="A classifier says this; repeatable.", metavar="COLUMN")
    ] = None,
    call_yes: Annotated[
        list[str] | None,
        typer.Option("--call-yes", help="What means yes, or COLUMN=VALUE; repeatable.", metavar="VALUE"),
    ] = None,
    truth: Annotated[
        list[str] | None, typer.Option("--truth", help="The answer itself: stays out; repeatable.", metavar="COLUMN")
    ] = None,
    class_name: Annotated[
        list[str] | None, typer.Option("--class", help="Of several classes, this one; repeatable.", metavar="NAME")
    ] = None,
    every: Annotated[
        str | None, typer.Option("--every", help="The length of a window: 1d, 7d.", metavar="LENGTH")
    ] = None,
) -> None:
    """Write a stratawatch.toml, create the store and the queue's folder. What is there already is kept.

    Without --from it is a template with every key. With it, it is short and fits your predictions: their columns are
    looked at, what cannot be told is asked, and what `check` and `plan` say of it follows.

    \b
    Examples:
      stratawatch init                     in an empty folder
      stratawatch init --from predictions.parquet
      stratawatch init --from 'scored/*.csv' --yes --question "Is this spam?"
      stratawatch init --upgrade           after an update of stratawatch
    """
    require("pipeline")
    said = {"item": item, "time": time, "question": question, "panel": panel, "every": every}
    said_of = {"payload": payload, "segments": segment, "scores": score, "calls": call, "truth": truth}
    given = {
        key: value for key, value in {**said, **said_of, "classes": class_name, "call_yes": call_yes}.items() if value
    }
    is_written = force or not config.exists()
    proposed = None
    if source is None and (given or yes):
        raise StratawatchError("these options say what is in predictions", hint="name them: --from PATH")
    if source is not None and is_written:
        from stratawatch.cli.init_from import propose_from

        proposed = propose_from(source, config, given, may_ask=not (yes or json), takes_proposals=yes)
    wrote = _write_config(config, template() if proposed is None else proposed.text, force=force)
    before, after = _prepare_store(config, upgrade=upgrade)
    queue, trouble = _prepare_queue(config)
    facts = {"config": config.absolute(), "wrote_config": wrote, "store_before": before, "store": after}
    facts |= {"queue": queue, "queue_trouble": trouble or None}
    if not json:
        if proposed is not None:
            proposed.show()
        print_line(f"wrote {config}" if wrote else f"kept {config}")
        if source is not None and not wrote:
            print_line("It was there already, so that nothing was proposed; --force replaces it.")
        print_line({"empty": "created the store", "older": "upgraded the store"}.get(before, "the store is ready"))
        print_line(trouble or f"the label queue is {queue}")
        if wrote and proposed is None:
            print_line(f"Edit {config} now: question, source, columns, classifiers. Then run `stratawatch check`.")
    if proposed is None or not wrote:
        if json:
            print_json(facts)
        return
    from stratawatch.cli.first_look import first_look

    look = first_look(config, proposed.proposal)
    if json:
        print_json({**facts, **proposed.document(), **look.document()})
    else:
        look.show()


def template() -> str:
    """The commented configuration as it is shipped, with a seed of its own."""
    from stratawatch import config

    text = (Path(config.__file__).parent / "template.toml").read_text(encoding="utf-8")
    # A seed of its own: two installations with one seed would draw the same items.
    return text.replace(EXAMPLE_SEED, f'"{token_hex(8)}"', 1)


def _write_config(path: Path, text: str, *, force: bool) -> bool:
    if path.exists() and not force:
        return False
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
