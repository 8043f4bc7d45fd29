"""`stratawatch web` and `invite`: what is served to whom, and the lines that let people in."""

import socket
import tomllib

import pytest
from starlette.testclient import TestClient

from stratawatch.cli.web import serve
from tests.unit.cli.conftest import NOW


def client(served):
    return TestClient(served.app, base_url="https://watch.example.org", follow_redirects=False)


def test_whoever_starts_it_alone_has_a_link_of_an_admin(judged):
    served = serve(judged.config, own_link=True)
    link = served.parts["dashboard"]
    assert list(served.parts) == ["dashboard"]
    browser = client(served)
    assert browser.get("/").headers["location"] == "/dashboard/"
    assert browser.get("/dashboard/").status_code == 401
    assert browser.get(link).status_code == 303
    assert browser.get("/dashboard/audit").status_code == 200
    assert client(serve(judged.config, own_link=True)).get(link).status_code == 401


def test_nobody_else_has_one(judged):
    judged.run("web", "--host", "203.0.113.7", "--https", code=2)
    done = judged.run("web", "--https", code=2).stderr
    assert "nobody is named who may look at the dashboard" in done
    assert "stratawatch invite NAME" in done


def test_who_is_invited_comes_in_by_the_lines_that_are_printed(judged):
    found = judged.json("invite", "Ann Lee", "--role", "operator", "--url", "https://watch.example.org/")
    assert found["link"] == f"https://watch.example.org/dashboard/enter/{found['token']}"
    assert found["token"] not in "".join(found["lines"])
    judged.config.write_text(judged.config.read_text() + "\n" + "\n".join(found["lines"]) + "\n")
    assert "nobody can tell" not in judged.run("check", "--now", NOW).stdout
    browser = client(serve(judged.config))
    assert browser.get(found["link"].removeprefix("https://watch.example.org")).status_code == 303
    assert "You are <bdi>Ann Lee</bdi>, operator." in browser.get("/dashboard/").text


def test_the_lines_are_printed_so_that_they_can_be_pasted(judged):
    judged.columns = 60
    out = judged.run("invite", "bob").stdout
    lines = [line for line in out.splitlines() if line.startswith(("[[web", "name", "role", "token_hash"))]
    (person,) = tomllib.loads("\n".join(lines))["web"]["people"]
    assert (person["name"], person["role"]) == ("bob", "viewer")
    (link,) = [line for line in out.splitlines() if line.startswith("http://127.0.0.1:8642/dashboard/enter/")]
    assert "Whoever has this link is that person." in out
    assert link.rpartition("/")[2] not in " ".join(lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["invite", "a\nb"], "no name for a person"),
        (["invite", 'a"b'], "no name for a person"),
        (["invite", "a\\b"], "no name for a person"),
        (["invite", ""], "no name for a person"),
        (["invite", "ann", "--url", "javascript:alert(1)"], "no address of a page"),
        (["invite", "ann", "--role", "boss"], "there is no role 'boss'"),
    ],
)
def test_what_cannot_be_done_is_said(judged, arguments, said):
    assert said in judged.run(*arguments, code=2).stderr


def test_a_link_leads_where_people_reach_it(judged):
    judged.configure(more='\n[web]\nurl = "https://watch.example.org/"\n')
    assert judged.json("invite", "ann")["link"].startswith("https://watch.example.org/dashboard/enter/")
    other = judged.json("invite", "ann", "--url", "https://other.example.org/dashboard/")["link"]
    assert other.startswith("https://other.example.org/dashboard/enter/")
    judged.config.write_text(judged.config.read_text() + f'\n[[web.people]]\nname = "ann"\ntoken_hash = "{HASH}"\n')
    assert "Put this in the place of what" in judged.run("invite", "ann").stdout


def test_a_port_that_is_taken_is_said_before_a_link_is_shown(judged):
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = judged.run("web", "--port", str(other.getsockname()[1]), code=2)
    assert "nothing can listen at 127.0.0.1:" in done.stderr
    assert "enter" not in done.stdout


def test_nobody_is_sent_to_the_host_that_a_request_names(judged):
    browser = client(serve(judged.config, own_link=True))
    for path in ("/dashboard", "/dashboard/incidents/", "/dashboard/panels/spam/", "/healthz/"):
        answer = browser.get(path, headers={"host": "evil.example.org"})
        assert "evil" not in answer.headers.get("location", "")
    assert browser.get("/dashboard").headers["location"] == "/dashboard/"


HASH = "0" * 64


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[[web.people]]\nname = "ann"\n', "nobody can tell who 'ann' is"),
        (f'[[web.people]]\nname = "ann"\ntoken_hash = "{HASH[1:]}"\n', "token_hash"),
        (f'[[web.people]]\nname = "ann"\nrole = "boss"\ntoken_hash = "{HASH}"\n', "role"),
        (2 * f'[[web.people]]\nname = "ann"\ntoken_hash = "{HASH}"\n', "'ann' is named twice"),
        (
            "".join(f'[[web.people]]\nname = "{name}"\ntoken_hash = "{HASH}"\n' for name in ("ann", "bob")),
            "'bob' has the token of somebody else",
        ),
        ('[web]\nproxy_role = "viewer"\n', "people whom a proxy names"),
        ('[web]\nproxy_header = "X-User"\nproxy_addresses = ["proxy.example.org"]\n', "no address of a machine"),
        *(
            (f'[web]\nproxy_header = "{name}"\n', "visitors send themselves")
            for name in ("Cookie", "X-Forwarded-For", "Accept")
        ),
        ('[web]\nproxy_header = "X-User"\n', "nobody whom the proxy names may look"),
        ('[web]\nproxy_header = "X-User"\nproxy_role = "viewer"\nproxy_addresses = []\n', "asks from nowhere"),
        (f'[[web.people]]\nname = "a\\u202eb"\ntoken_hash = "{HASH}"\n', "no name for a person"),
        (f'[[web.people]]\nname = "ann "\ntoken_hash = "{HASH}"\n', "no name for a person"),
        ('[web]\nproxy_header = "X User"\n', "no name of a header"),
    ],
)
def test_what_cannot_be_right_is_told_by_check(judged, more, said):
    judged.config.write_text(judged.config.read_text() + "\n" + more)
    out = " ".join(judged.run("check", "--now", NOW, code=1).stdout.split())
    assert said in out


def test_the_label_page_is_served_although_the_store_cannot_be_used(fresh, capsys):
    fresh.configure(more='\n[queue]\nkind = "page"\n')
    fresh.run("advance")
    (fresh.folder / "stratawatch.db").write_bytes(b"no database")
    served = serve(fresh.config, own_link=True)
    assert served.parts == {"label page": "/"}
    assert "the dashboard is not served" in capsys.readouterr().err
    assert client(served).get("/healthz").status_code == 200
