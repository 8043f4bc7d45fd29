"""Who may see and do what at the dashboard: every address, by every role and by strangers."""

import re
from itertools import product
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from stratawatch.settings.roles import ROLES
from stratawatch.web.dashboard.pages import Pages
from stratawatch.web.dashboard.visitors import COOKIE, Person, TrustedProxy, Visitors, token_hash
from tests.unit.web.dashboard.conftest import form_key, token_of

SEEN = {
    "/": "viewer",
    "/panels/spam": "viewer",
    "/panels/spam/mistakes": "viewer",
    "/panels/spam/plan": "viewer",
    "/panels/spam/report": "viewer",
    "/panels/spam/classifiers/lr": "viewer",
    "/cycles/1": "viewer",
    "/incidents": "viewer",
    "/incidents/1": "viewer",
    "/audit": "admin",
    "/api/panels": "viewer",
    "/api/estimates": "viewer",
    "/api/incidents": "viewer",
    "/api/incidents/1": "viewer",
    "/api/openapi.json": "viewer",
}
DONE = {"/incidents/1/acknowledge": "operator", "/incidents/1/silence": "operator"}


def statuses(allowed):
    return {role: 200 if ROLES.index(role) >= ROLES.index(allowed) else 403 for role in ROLES}


def test_every_address_of_the_pages_is_in_the_table():
    pages = Pages(SimpleNamespace(), SimpleNamespace())
    given = {"{panel}": "spam", "{classifier:path}": "lr", "{number:number}": "1", "{token}": "t"}

    def address(path):
        return re.sub(r"\{[^}]+\}", lambda found: given[found[0]], path)

    routes = {(address(route.path), tuple(sorted(route.methods))) for route in pages.routes}
    reading, posting = ("GET", "HEAD"), ("POST",)
    known = {(path, reading) for path in SEEN if not path.startswith("/api/")} | {(path, posting) for path in DONE}
    assert routes == known | {("/enter/t", reading), ("/leave", posting), ("/style.css", reading)}


def test_every_role_sees_what_it_may_and_nothing_else(dashboard):
    browsers = {role: dashboard.browser(role) for role in ROLES}
    for path, role in SEEN.items():
        found = {who: browser.get(f"/dashboard{path}").status_code for who, browser in browsers.items()}
        assert found == statuses(role), path


def test_strangers_see_nothing(dashboard):
    stranger = dashboard.stranger()
    for path in (*SEEN, "/panels/none", "/cycles/99"):
        answer = stranger.get(f"/dashboard{path}")
        assert (answer.status_code, "spam" in answer.text) == (401, False), path
    for path in DONE:
        assert stranger.post(f"/dashboard{path}", data={"why": "x", "length": "8h"}).status_code == 401
    stranger.cookies.set(COOKIE, token_of("nobody"))
    assert stranger.get("/dashboard/").status_code == 401
    assert stranger.get("/dashboard/", headers={"authorization": f"Bearer {token_of('nobody')}"}).status_code == 401
    assert stranger.get(f"/dashboard/enter/{token_of('nobody')}").status_code == 401
    assert stranger.get("/dashboard/style.css").status_code == 200


def test_only_who_may_act_does(dashboard):
    number = dashboard.incident()
    for role, path in product(ROLES, ("acknowledge", "silence")):
        browser = dashboard.browser(role)
        key = form_key(browser.get(f"/dashboard/incidents/{number}"))
        data = {"form_key": key, "why": "known", "length": "8h"}
        answer = browser.post(f"/dashboard/incidents/{number}/{path}", data=data)
        may = ROLES.index(role) >= ROLES.index("operator")
        again = path == "silence" and role == "admin"
        assert answer.status_code == (403 if not may else 409 if again else 303)
    listed = dashboard.home.json("alerts", "list")["incidents"]
    (told,) = [one for one in listed if one["id"] == number]
    assert told["acknowledged_by"] == "operator-ann"
    said = dashboard.home.run("audit").stdout
    assert "operator-ann acknowledged incident" in said
    assert "viewer-ann" not in said


def test_a_form_of_another_site_or_of_somebody_else_does_nothing(dashboard):
    number = dashboard.incident()
    operator, admin = dashboard.browser("operator"), dashboard.browser("admin")
    other = form_key(admin.get(f"/dashboard/incidents/{number}"))
    for key in ("", "x", other, token_hash(token_of("operator"))):
        answer = operator.post(f"/dashboard/incidents/{number}/acknowledge", data={"form_key": key, "why": ""})
        assert answer.status_code == 403
        assert "not from here" in answer.text
    assert operator.post("/dashboard/leave", data={"form_key": other}).status_code == 403
    assert dashboard.home.json("alerts", "list")["incidents"][0]["acknowledged_by"] is None


def test_a_link_becomes_a_cookie_that_scripts_and_other_paths_do_not_get(dashboard):
    client = dashboard.stranger()
    answer = client.get(f"/dashboard/enter/{token_of('viewer')}")
    cookie = answer.headers["set-cookie"]
    assert answer.headers["location"] == "/dashboard/"
    assert "HttpOnly" in cookie
    assert "Path=/dashboard" in cookie
    assert "SameSite=lax" in cookie
    shown = client.get("/dashboard/")
    assert token_of("viewer") not in shown.text
    client.post("/dashboard/leave", data={"form_key": form_key(shown)})
    assert client.get("/dashboard/").status_code == 401


def test_every_answer_carries_the_headers_and_the_report_its_own_policy(dashboard):
    viewer = dashboard.browser("viewer")
    for path in ("/", "/audit", "/nothing", "/style.css", "/api/panels", "/panels/spam/report"):
        answer = viewer.get(f"/dashboard{path}")
        (policy,) = answer.headers.get_list("content-security-policy")
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert ("unsafe-inline" in policy) == path.endswith("report")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"


class TestProxy:
    ANN = Person("ann", "operator")

    def who(self, header=(), *, others=None, host="127.0.0.1", cookie=""):
        visitors = Visitors({}, [self.ANN], TrustedProxy("X-User", frozenset({"127.0.0.1"}), others))
        headers = [(b"x-user", value.encode("latin-1")) for value in header]
        headers += [(b"cookie", f"{COOKIE}={cookie}".encode())] if cookie else []
        return visitors.of(Request({"type": "http", "client": (host, 1), "headers": headers}))

    def test_names_people_of_the_configuration(self):
        assert self.who(["ann"]) == self.ANN
        assert self.who([" ann "]) == self.ANN

    def test_names_others_where_they_have_a_role(self):
        assert self.who(["bob"]) is None
        assert self.who(["bob"], others="viewer") == Person("bob", "viewer")

    @pytest.mark.parametrize("header", [[], [""], ["ann", "bob"], ["ann", "ann"], ["a\x00nn"], ["a" * 101]])
    def test_of_no_name_or_of_several_is_nobody(self, header):
        assert self.who(header, others="viewer") is None

    def test_is_believed_from_its_own_address_alone(self):
        assert self.who(["ann"], host="203.0.113.7") is None

    def test_says_who_it_is_whoever_sat_there_before(self):
        """Also where the proxy sends a token of its own along."""
        tokens = {token_hash("earlier"): Person("boss", "admin")}
        visitors = Visitors(tokens, [self.ANN], TrustedProxy("X-User", frozenset({"127.0.0.1"})))

        def who(host="127.0.0.1", *headers):
            return visitors.of(Request({"type": "http", "client": (host, 1), "headers": list(headers)}))

        cookie, header = (b"cookie", f"{COOKIE}=earlier".encode()), (b"x-user", b"ann")
        assert who("127.0.0.1", cookie) == Person("boss", "admin")
        assert who("127.0.0.1", cookie, header) == self.ANN
        assert who("127.0.0.1", cookie, (b"x-user", b"nobody")) is None
        assert who("127.0.0.1", header, (b"authorization", b"Bearer of the proxy")) == self.ANN
        assert who("203.0.113.7", cookie, header) == Person("boss", "admin")

    def test_writes_names_in_utf_8(self):
        visitors = Visitors(
            {}, [Person("jürg", "annotator")], TrustedProxy("X-User", frozenset({"127.0.0.1"}), "viewer")
        )
        for sent in ("jürg".encode(), "jürg".encode("latin-1")):
            found = visitors.of(Request({"type": "http", "client": ("127.0.0.1", 1), "headers": [(b"x-user", sent)]}))
            assert found == Person("jürg", "annotator")
