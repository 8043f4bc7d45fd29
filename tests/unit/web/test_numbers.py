"""/healthz, /readyz and /metrics beside an app: who is shown what."""

import asyncio

import httpx
import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.web.app import guarded
from stratawatch.web.numbers import Numbers, served_together

TOKEN = "0123456789abcdef"
WITH = {"authorization": f"Bearer {TOKEN}"}


def raising(error):
    def read():
        raise error

    return read


def ask(path, headers=None, *, is_ready=lambda: True, read=lambda: "up 1\n", token=TOKEN, beside=True, method="GET"):
    page = Starlette(routes=[Route("/", lambda _: PlainTextResponse("the page"))]) if beside else None
    app = guarded(served_together(page, is_ready, Numbers(read, SecretStr(token)) if token else None))

    async def sent():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://ours") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(sent())


def test_numbers_go_to_who_has_the_token():
    answer = ask("/metrics", WITH)
    assert (answer.status_code, answer.text) == (200, "up 1\n")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": TOKEN},
        {"authorization": f"Bearer {TOKEN}0"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": f"bearer {TOKEN}"},
        {"authorization": "Bearer é".encode()},
        {"authorization": "Bearer "},
        {"cookie": f"stratawatch_annotator={TOKEN}"},
    ],
)
def test_numbers_go_to_nobody_else(headers):
    answer = ask("/metrics", headers, read=raising(AssertionError("read for a stranger")))
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in answer.text


def test_without_a_token_there_is_no_such_address():
    assert ask("/metrics", {"authorization": "Bearer "}, token="").status_code == 404
    assert ask("/metrics", WITH, token="", beside=False).status_code == 404


def test_a_store_that_cannot_be_read_is_told_without_its_reason():
    answer = ask("/metrics", WITH, read=raising(StratawatchError("password authentication failed for bob")))
    assert (answer.status_code, answer.text) == (503, "the store cannot be read\n")


@pytest.mark.parametrize(
    ("is_ready", "status"),
    [(lambda: True, 200), (lambda: False, 503), (raising(Unreachable("its file is locked")), 503)],
)
def test_ready_is_what_can_work(is_ready, status):
    answer = ask("/readyz", is_ready=is_ready)
    assert answer.status_code == status
    assert "locked" not in answer.text
    assert ask("/healthz", is_ready=is_ready).status_code == 200


def test_the_page_beside_is_where_it_was():
    assert ask("/").text == "the page"
    assert ask("/", beside=False).status_code == 404


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz"])
def test_they_are_only_read(path):
    assert ask(path, WITH, method="POST", beside=False).status_code == 405
