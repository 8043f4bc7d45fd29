"""The annotators of the label page, and the page's file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json, print_line
from stratawatch.cli.web import PORT
from stratawatch.engine.model.annotator_names import person
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.adapters.queues.answer_book import AnswerBook
    from stratawatch.adapters.queues.page import PageSettings
    from stratawatch.adapters.queues.page_book import PageBook

LONGEST_NAME = 100

NameArgument = Annotated[str, typer.Argument(help="The annotator's name, as labels will have it.", metavar="NAME")]


def invite(
    name: NameArgument,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    url: Annotated[
        str, typer.Option("--url", help="Where people reach the page.", metavar="URL")
    ] = f"http://127.0.0.1:{PORT}",
) -> None:
    """Print an annotator's link to the label page. It is shown once, and an earlier link of that person ends.

    \b
    Examples:
      stratawatch labels invite ann
      stratawatch labels invite ann --url https://label.example.org
    """
    if not person(name) or len(name) > LONGEST_NAME or not name.isprintable():
        raise StratawatchError(
            "that is no name for an annotator", expected=f"up to {LONGEST_NAME} characters that can be shown"
        )
    _, book = page_and_book(config)
    name = book.known_as(name.strip())
    link = f"{url.rstrip('/')}/enter/{book.invite(name)}"
    if json:
        print_json({"annotator": name, "link": link})
        return
    print_line(f"{name} labels at")
    print_line(link)
    print_line("Whoever has this link labels under that name. It is not kept, and cannot be shown again.")


def revoke(name: NameArgument, config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Close the label page to an annotator. What was said stays.

    \b
    Example:
      stratawatch labels revoke ann
    """
    _, book = page_and_book(config)
    name = book.known_as(name.strip())
    book.revoke(name)
    if json:
        print_json({"revoked": name})
    else:
        print_line(f"the link of {name} leads nowhere now")


def annotators(config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """List the annotators of the label page, and how many answers of each stand.

    \b
    Example:
      stratawatch labels annotators
    """
    _, book = page_and_book(config)
    people = book.annotators()
    if json:
        rows = [{"name": name, "open": is_open, "answers": answers} for name, is_open, answers in people]
        print_json({"annotators": rows})
        return
    for name, is_open, answers in people:
        print_line(f"{name}: {count_text(answers, 'answer')}{'' if is_open else ', revoked'}")
    if not people:
        print_line("nobody was invited yet: `stratawatch labels invite NAME`")


def require_file(book: "AnswerBook") -> None:
    """Raise StratawatchError where the queue was not adopted yet."""
    if not book.identity():
        raise StratawatchError(
            f"{book.what} has no file yet in {book.root}",
            hint="`stratawatch advance` makes it; after a move: `stratawatch labels adopt-queue`",
        )


def page_and_book(config: Path) -> tuple["PageSettings", "PageBook"]:
    """The page's settings and its file, which is made where the queue is adopted: by the first advance, say."""
    from stratawatch.adapters.queues.page import PageSettings
    from stratawatch.adapters.queues.page_book import PageBook
    from stratawatch.config.loading import load_configuration

    configuration = load_configuration(config)
    settings = configuration.settings.queue
    if not isinstance(settings, PageSettings):
        raise StratawatchError(
            "the label queue is no page",
            expected='kind = "page" in [queue]',
            got=f'kind = "{settings.kind}"',
        )
    book = PageBook(configuration.folder / settings.root)
    require_file(book)
    return settings, book
