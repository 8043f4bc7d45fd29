"""stratawatch web, and the annotators of the label page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_json, print_line
from stratawatch.engine.model.annotator_names import person
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from stratawatch.adapters.queues.answer_book import AnswerBook
    from stratawatch.adapters.queues.page import PageSettings
    from stratawatch.adapters.queues.page_book import PageBook
    from stratawatch.config.loading import Configuration
    from stratawatch.web.numbers import Numbers

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PORT = 8642
SHORTEST_TOKEN = 16
LONGEST_NAME = 100

NameArgument = Annotated[str, typer.Argument(help="The annotator's name, as labels will have it.", metavar="NAME")]


def web(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen at.", min=1, max=65535)] = PORT,
    https: Annotated[
        bool, typer.Option("--https", help="People reach it by https, through a proxy: cookies go no other way.")
    ] = False,
) -> None:
    """Serve the label page, or take labels by signed POST, as [queue] says, until Ctrl-C.

    With kind = "page" each annotator has a link of his own, which `stratawatch labels invite` makes. With
    kind = "webhook" the labelling service posts to /labels/webhook. Beside either, and alone with any other queue,
    /metrics has numbers for Prometheus, where [web] has a metrics_token. /healthz and /readyz say whether it works.

    \b
    Examples:
      stratawatch web
      stratawatch web --host 0.0.0.0 --https      behind a proxy that speaks https
    """
    from stratawatch.extras import require

    require("web")
    import uvicorn

    if host not in LOOPBACK and not https:
        raise StratawatchError(
            f"people at other machines would send their tokens to {host} unprotected",
            hint="put a proxy that speaks https in front, and say --https",
        )
    app, what, path = _served(config, https)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"
    if json:
        print_json({"address": address})
    else:
        print_line(f"{what} listens at {address}; Ctrl-C ends it")
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)


def invite(
    name: NameArgument,
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    url: Annotated[
        str, typer.Option("--url", help="Where people reach the page.", metavar="URL")
    ] = f"http://127.0.0.1:{PORT}",
) -> None:
    """Print an annotator's link to the label page. It is shown once, and an earlier one of his ends.

    \b
    Examples:
      stratawatch labels invite ann
      stratawatch labels invite ann --url https://label.example.org
    """
    if not person(name) or len(name) > LONGEST_NAME or not name.isprintable():
        raise StratawatchError(
            "that is no name for an annotator", expected=f"up to {LONGEST_NAME} characters that can be shown"
        )
    _, book = _page(config)
    name = book.known_as(name.strip())
    link = f"{url.rstrip('/')}/enter/{book.invite(name)}"
    if json:
        print_json({"annotator": name, "link": link})
        return
    print_line(f"{name} labels at")
    print_line(link)
    print_line("Whoever has this link labels under that name. It is not kept, and cannot be shown again.")


def revoke(name: NameArgument, config: ConfigOption = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Close the label page to an annotator. What he said stays.

    \b
    Example:
      stratawatch labels revoke ann
    """
    _, book = _page(config)
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
    _, book = _page(config)
    people = book.annotators()
    if json:
        rows = [{"name": name, "open": is_open, "answers": answers} for name, is_open, answers in people]
        print_json({"annotators": rows})
        return
    for name, is_open, answers in people:
        print_line(f"{name}: {count_text(answers, 'answer')}{'' if is_open else ', revoked'}")
    if not people:
        print_line("nobody was invited yet: `stratawatch labels invite NAME`")


def _served(config: Path, https: bool) -> tuple["ASGIApp", str, str]:
    """What `web` serves, its name, and the path of its address."""
    from stratawatch.adapters.adapter_settings import BuildContext
    from stratawatch.adapters.queues.page import PageSettings
    from stratawatch.adapters.queues.webhook import WebhookQueueSettings
    from stratawatch.adapters.status_queries import is_readable
    from stratawatch.config.loading import load_configuration
    from stratawatch.web.app import guarded, label_page
    from stratawatch.web.numbers import METRICS, with_numbers
    from stratawatch.web.payload_view import AllowedHosts

    configuration = load_configuration(config)
    settings = configuration.settings.queue
    numbers = _numbers(configuration, config)
    if numbers and not isinstance(settings, (PageSettings, WebhookQueueSettings)):
        url = configuration.store_url().get_secret_value()
        return guarded(with_numbers(None, lambda: is_readable(url), numbers)), "the server of numbers", METRICS
    if not isinstance(settings, WebhookQueueSettings):
        page, page_book = _page(config)
        hosts = AllowedHosts(frozenset(page.link_hosts), frozenset(page.image_hosts))
        app = label_page(page_book, votes=page.votes, secure=https, hosts=hosts)
        served = with_numbers(app, lambda: bool(page_book.identity()), numbers)
        return guarded(served, hosts.images), "the label page", ""
    from stratawatch.adapters.queues.webhook_book import WebhookBook
    from stratawatch.web.label_receiver import PATH, label_receiver

    book = WebhookBook(configuration.folder / settings.root)
    _require_file(book)
    keys = settings.receive_keys(BuildContext(configuration.folder))
    served = with_numbers(label_receiver(book, keys), lambda: bool(book.identity()), numbers)
    return guarded(served), "the receiver of labels", PATH


def _numbers(configuration: "Configuration", config: Path) -> "Numbers | None":
    """What /metrics shows, where [web] has a token for it."""
    secret = configuration.settings.web.metrics_token
    if secret is None:
        return None
    from stratawatch.cli.metrics import scrape
    from stratawatch.extras import require
    from stratawatch.web.numbers import Numbers

    require("metrics")
    token = configuration.context.reveal(secret)
    if len(token.get_secret_value()) < SHORTEST_TOKEN:
        raise StratawatchError(
            "metrics_token of [web] is too short to be safe", expected=f"at least {SHORTEST_TOKEN} characters"
        )
    return Numbers(scrape(config), token)


def _require_file(book: "AnswerBook") -> None:
    if not book.identity():
        raise StratawatchError(
            f"{book.what} has no file yet in {book.root}",
            hint="`stratawatch advance` makes it; after a move: `stratawatch labels adopt-queue`",
        )


def _page(config: Path) -> tuple["PageSettings", "PageBook"]:
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
    _require_file(book)
    return settings, book
