"""stratawatch web: the dashboard, the label page and what programs ask; and who may look at the dashboard."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratawatch.cli.options import DEFAULT_CONFIG, ConfigOption, JsonOption
from stratawatch.cli.output import print_error, print_json, print_line
from stratawatch.errors import StratawatchError
from stratawatch.settings.roles import ROLES

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from stratawatch.config.loading import Configuration
    from stratawatch.web.dashboard.visitors import Visitors
    from stratawatch.web.numbers import Numbers

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PORT = 8642
SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class Served:
    """What is served: the app, and in words what it has at which path."""

    app: "ASGIApp"
    parts: dict[str, str]


def web(
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen at.", min=1, max=65535)] = PORT,
    https: Annotated[
        bool, typer.Option("--https", help="People reach it by https, through a proxy: cookies go no other way.")
    ] = False,
) -> None:
    """Serve the dashboard until Ctrl-C, and the label page where [queue] has kind = "page".

    Without [[web.people]] the dashboard is for whoever starts it, who gets a link that ends with this process. With
    kind = "webhook" the labelling service posts to /labels/webhook. /metrics has numbers for Prometheus, where [web]
    has a metrics_token. /healthz and /readyz say whether it works. A changed configuration counts from the next start.

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
    served = serve(config, https=https, own_link=host in LOOPBACK and not https)
    _require_free(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if json:
        print_json({"address": address, "parts": {name: address + path for name, path in served.parts.items()}})
    else:
        for name, path in served.parts.items():
            print_line(f"{name}: {address}{path}")
        print_line("Ctrl-C ends it")
    # Its own reading of X-Forwarded-For would put the visitor's address where that of the proxy is looked for.
    uvicorn.run(
        served.app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )


def _require_free(host: str, port: int) -> None:
    """Raise StratawatchError where something listens there already: before a link is shown that leads nowhere."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family):
            return
    except OSError as trouble:
        raise StratawatchError(
            f"nothing can listen at {host}:{port}", got=trouble.strerror or str(trouble), hint="--port names another"
        ) from None


def invite(
    name: Annotated[str, typer.Argument(help="The person's name, as acknowledgements will have it.", metavar="NAME")],
    config: ConfigOption = DEFAULT_CONFIG,
    json: JsonOption = False,
    role: Annotated[
        str,
        typer.Option("--role", help="What the person may do, each more than the one before.", metavar="|".join(ROLES)),
    ] = "viewer",
    url: Annotated[
        str | None, typer.Option("--url", help="Where people reach it; else as [web] url says.", metavar="URL")
    ] = None,
) -> None:
    """Make a person's link to the dashboard, and the lines that let it in. The link is shown once, and is kept nowhere.

    A viewer sees numbers, an annotator what labellers were shown too, an operator acknowledges and silences, an admin
    sees who did what. The link works once the lines are in the configuration and `stratawatch web` was started again;
    without them it ends.

    \b
    Examples:
      stratawatch invite ann --role operator
      stratawatch invite bob --url https://watch.example.org
    """
    from stratawatch.cli.options import existing_name
    from stratawatch.config.loading import load_configuration
    from stratawatch.engine.model.annotator_names import person
    from stratawatch.engine.model.panel_links import DASHBOARD_PATH
    from stratawatch.web.dashboard.visitors import LONGEST_NAME, new_token, token_hash

    existing_name(role, list(ROLES), "role")
    if not person(name) or len(name) > LONGEST_NAME or not name.isprintable() or '"' in name or "\\" in name:
        raise StratawatchError(
            "that is no name for a person", expected=f"up to {LONGEST_NAME} characters that can be shown"
        )
    settings = load_configuration(config).settings.web
    base = (url or settings.url or f"http://127.0.0.1:{PORT}").rstrip("/").removesuffix(DASHBOARD_PATH)
    if not base.startswith(("http://", "https://")):
        raise StratawatchError("that is no address of a page", expected="https://watch.example.org", got=base)
    token = new_token()
    link = f"{base}{DASHBOARD_PATH}/enter/{token}"
    lines = ["[[web.people]]", f'name = "{name.strip()}"', f'role = "{role}"', f'token_hash = "{token_hash(token)}"']
    if json:
        print_json({"name": name.strip(), "role": role, "link": link, "token": token, "lines": lines})
        return
    if any(one.name == name.strip() for one in settings.people):
        print_line(f"Put this in the place of what {config} has of {name.strip()}, and start `stratawatch web` again:")
    else:
        print_line(f"Add this to {config}, and start `stratawatch web` again:")
    print_line()
    for line in lines:
        typer.echo(line)
    print_line()
    print_line(f"Then {name.strip()} looks in by")
    typer.echo(link)
    print_line("Whoever has this link is that person. Programs send what stands behind /enter/ as a Bearer token.")


def serve(config: Path, *, https: bool = False, own_link: bool = False) -> Served:
    """Everything that is served; with `own_link` the dashboard is for whoever started it, if nobody else may look."""
    from stratawatch.adapters.queues.page import PageSettings
    from stratawatch.adapters.queues.webhook import WebhookQueueSettings
    from stratawatch.adapters.status_queries import is_readable
    from stratawatch.config.loading import load_configuration
    from stratawatch.engine.model.panel_links import DASHBOARD_PATH
    from stratawatch.web.app import guarded
    from stratawatch.web.numbers import METRICS, served_together

    configuration = load_configuration(config)
    url = configuration.store_url().get_secret_value()
    numbers = _numbers(configuration, config)
    settings = configuration.settings.queue
    app: ASGIApp | None = None
    is_ready: Callable[[], bool] = lambda: is_readable(url)  # noqa: E731 - the label page has another one
    parts, images = dict[str, str](), frozenset[str]()
    if isinstance(settings, PageSettings):
        app, is_ready, images = _label_page(config, https)
        parts["label page"] = "/"
    elif isinstance(settings, WebhookQueueSettings):
        app, is_ready, path = _label_receiver(configuration, settings)
        parts["receiver of labels"] = path
    visitors, token = _visitors(configuration, own_link=own_link)
    looked_at = None if visitors is None else _dashboard(configuration, config, visitors, https, alone=app is None)
    if looked_at is not None:
        parts = {"dashboard": f"{DASHBOARD_PATH}/enter/{token}" if token else f"{DASHBOARD_PATH}/", **parts}
    if numbers is not None:
        parts["numbers for Prometheus"] = METRICS
    if not parts:
        raise StratawatchError(
            "there is nothing to serve at such an address: nobody is named who may look at the dashboard",
            hint="`stratawatch invite NAME` makes a link for a person",
        )
    return Served(guarded(served_together(app, is_ready, numbers, looked_at), images), parts)


def _label_page(config: Path, https: bool) -> "tuple[ASGIApp, Callable[[], bool], frozenset[str]]":
    from stratawatch.cli.label_page import page_and_book
    from stratawatch.web.app import label_page
    from stratawatch.web.payload_view import AllowedHosts

    page, book = page_and_book(config)
    hosts = AllowedHosts(frozenset(page.link_hosts), frozenset(page.image_hosts))
    app = label_page(book, votes=page.votes, secure=https, hosts=hosts)
    return app, lambda: bool(book.identity()), hosts.images


def _label_receiver(configuration: "Configuration", settings: Any) -> "tuple[ASGIApp, Callable[[], bool], str]":
    from stratawatch.adapters.adapter_settings import BuildContext
    from stratawatch.adapters.queues.webhook_book import WebhookBook
    from stratawatch.cli.label_page import require_file
    from stratawatch.web.label_receiver import PATH, label_receiver

    book = WebhookBook(configuration.folder / settings.root)
    require_file(book)
    keys = settings.receive_keys(BuildContext(configuration.folder))
    return label_receiver(book, keys), lambda: bool(book.identity()), PATH


def _visitors(configuration: "Configuration", *, own_link: bool) -> "tuple[Visitors | None, str]":
    """Who may look at the dashboard, and the token of whoever started it where nobody is named."""
    from stratawatch.web.dashboard.visitors import Person, TrustedProxy, Visitors, new_token, plain_address, token_hash
    from stratawatch.wiring import user_name

    web = configuration.settings.web
    if not web.people and web.proxy_header is None:
        if not own_link:
            return None, ""
        token = new_token()
        return Visitors({token_hash(token): Person(user_name(), "admin")}), token
    people = [(one.token_hash, Person(one.name, one.role)) for one in web.people]
    proxy = None
    if web.proxy_header is not None:
        proxy = TrustedProxy(web.proxy_header, frozenset(map(plain_address, web.proxy_addresses)), web.proxy_role)
    return Visitors({hashed: one for hashed, one in people if hashed}, [one for _, one in people], proxy), ""


def _dashboard(
    configuration: "Configuration", config: Path, visitors: "Visitors", https: bool, *, alone: bool
) -> "ASGIApp | None":
    """The dashboard; None, and word of it, where something else is served and it lacks the store or a key."""
    from stratawatch.adapters.store import SqlStore, open_store
    from stratawatch.adapters.store.change_mark import ChangeMark
    from stratawatch.cli.metrics import numbers
    from stratawatch.web.dashboard.app import dashboard
    from stratawatch.web.dashboard.reader import Reader
    from stratawatch.wiring import wire

    url, opened = configuration.store_url().get_secret_value(), list[SqlStore]()

    def renew() -> None:
        for one in opened:
            one.dispose()

    mark = ChangeMark(url, renew)
    try:
        mark.read()  # before the stores are opened: what is exchanged later is noticed
        store, looking = open_store(url), open_store(url, only_looking=True)
        opened += [store, looking]
        ports = wire(configuration, store, only_reading=True).ports
    except StratawatchError as trouble:
        if alone:
            raise
        print_error(f"stratawatch: the dashboard is not served: {trouble}")
        return None
    smallest = configuration.settings.report.smallest_cell
    reader = Reader(ports, looking, mark.read, lambda: numbers(config)[0], smallest)
    return dashboard(reader, visitors, secure=https)


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
