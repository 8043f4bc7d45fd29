"""One annotator at the label page: keys, no script, what is refused, nasty payloads, and whom it shuts out."""

from base64 import b64decode

import pytest
from axe_playwright_python.sync_playwright import Axe

from stratawatch.web.forms import LARGEST_FORM
from stratawatch.web.payload_view import AllowedHosts
from tests.support.nasty_payloads import NASTY, PIXEL

WIDTHS = {1440: 900, 390: 844}
TEXTS = [{"text": f"Message {number}: are we still on for lunch?"} for number in range(6)]


class TestKeys:
    def test_answer_skip_and_take_back(self, page, visit):
        page.ask(TEXTS)
        ann = visit(page)
        first = ann.item()
        for key in "yns":
            ann.press(key)
        skipped = page.said()[-1][0]
        ann.press("u")
        assert ann.item() == skipped
        assert "taken back" in ann.tab.inner_text(".note")
        assert page.said()[0] == (first, "ann", "yes")
        assert page.values() == ["yes", "no", "skip", "retract"]
        assert not ann.wrong

    def test_answer_nothing_while_somebody_types_or_holds_another_key(self, page, visit):
        page.ask(TEXTS)
        ann = visit(page)
        ann.tab.click("#reason")
        ann.tab.keyboard.type("yes, nobody understands")
        assert ann.tab.input_value("#reason") == "yes, nobody understands"
        ann.tab.click("h1")
        ann.tab.keyboard.press("Control+y")
        ann.tab.wait_for_timeout(200)
        assert page.said() == []
        ann.press("s")
        ((_, _, value),) = page.said()
        assert value == "skip"
        with page.book.reading() as sql:
            assert '"note": "yes, nobody understands"' in sql.execute("SELECT said FROM answers").fetchone()[0]

    def test_go_out_once_though_pressed_twice(self, page, visit):
        page.ask(TEXTS[:1])
        ann = visit(page)
        ann.tab.evaluate("for (const key of 'yy') document.dispatchEvent(new KeyboardEvent('keydown', { key }))")
        ann.tab.wait_for_selector("text=Nothing to label")
        assert page.values() == ["yes"]

    def test_pressed_twice_answer_no_item_that_nobody_saw(self, page, visit):
        page.ask(TEXTS)
        ann = visit(page)
        ann.tab.evaluate(
            """item => {
                const press = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "y" }));
                new MutationObserver(() => { press(); document.title = "pressed" }).observe(document.body, { childList: true });
                press();
            }"""
        )
        ann.tab.wait_for_function("() => document.title === 'pressed'")
        ann.tab.wait_for_timeout(300)
        assert page.values() == ["yes"]

    def test_show_what_they_are_and_hide_it(self, page, visit):
        page.ask(TEXTS)
        ann = visit(page)
        for is_shown in (True, False):
            ann.tab.keyboard.press("?")
            assert ann.tab.is_visible("text=take your last answer back >> nth=-1") == is_shown
        assert page.said() == []


def test_the_guideline_stays_open_and_what_is_new_is_read_first(page, visit):
    page.ask(TEXTS)
    ann = visit(page)
    ann.tab.click("text=Guideline")
    ann.press("y")
    assert ann.tab.is_visible("text=Spam is what nobody asked for.")
    assert ann.tab.evaluate("document.activeElement.className") == "item"


def test_an_answer_that_is_not_received_is_told_and_can_be_given_again(page, visit):
    page.ask(TEXTS)
    ann = visit(page)
    first = ann.item()
    ann.context.set_offline(True)
    ann.tab.keyboard.press("y")
    ann.tab.wait_for_selector("text=was not received")
    ann.context.set_offline(False)
    ann.press("n")
    assert page.said() == [(first, "ann", "no")]
    assert not ann.tab.is_visible("#trouble")


def test_everything_but_keys_works_without_script(page, visit):
    page.ask(TEXTS)
    ann = visit(page, java_script_enabled=False)
    ann.tab.click("button.yes")
    ann.tab.click("button.no")
    ann.tab.fill("#reason", "in a language that I do not read")
    ann.tab.click("text=Skip")
    ann.tab.click("button.undo")
    assert page.values() == ["yes", "no", "skip", "retract"]
    assert ann.tab.inner_text(".progress strong >> nth=0") == "2"
    assert not ann.wrong


class TestNastyPayloads:
    def test_do_nothing(self, page, visit):
        page.ask([{**NASTY, "<img src=x onerror=alert(1)>": 1}], *[NASTY["html"]] * 2)
        ann = visit(page, name=NASTY["image"])
        ann.tab.wait_for_timeout(300)
        tags = ann.tab.evaluate("[...new Set([...document.querySelectorAll('.item *')].map(one => one.tagName))]")
        assert set(tags) <= {"DL", "DT", "DD", "BDI"}
        shown = ann.tab.inner_text(".item")
        for name in ("html", "image", "form", "formula", "javascript link"):
            assert NASTY[name] in shown
        ann.screenshot("nasty")
        ann.tab.keyboard.press("y")
        ann.tab.wait_for_selector("text=Nothing to label")
        assert ann.tab.url == f"{page.address}/"
        assert not ann.wrong

    def test_of_a_megabyte_is_cut(self, page, visit):
        page.ask([{"text": "<b>long</b> " * 90_000, "word": "x" * 2**20}])
        ann = visit(page)
        assert "cut off here" in ann.tab.inner_text(".item")
        assert ann.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        ann.tab.click("button.yes")
        ann.tab.wait_for_selector("text=Nothing to label")
        assert page.values() == ["yes"]


def test_images_are_loaded_from_allowed_hosts_alone_also_on_an_item_that_came_without_a_new_page(serve, visit):
    page = serve(hosts=AllowedHosts(images=frozenset({"img.example.org"})))
    ann = visit(page)
    loaded = []

    def fulfil(route):
        loaded.append((route.request.url, route.request.headers.get("referer")))
        route.fulfill(body=b64decode(PIXEL.partition(",")[2]), content_type="image/png")

    ann.context.route("https://*.example.org/**", fulfil)
    payload = {"a": "https://img.example.org/a.png", "b": PIXEL, "c": "https://other.example.org/c.png"}
    page.ask([payload] * 2)
    ann.tab.reload()
    ann.press("y")
    ann.tab.wait_for_function("[...document.images].every(image => image.complete && image.naturalWidth === 1)")
    assert ann.tab.locator("img").count() == 2
    assert set(loaded) == {("https://img.example.org/a.png", None)}
    ann.tab.evaluate("document.images[0].src = 'https://other.example.org/c.png'")
    ann.tab.wait_for_timeout(200)
    assert set(loaded) == {("https://img.example.org/a.png", None)}


class TestRefused:
    def test_without_a_link_or_with_one_that_was_closed(self, page, visit, browser):
        page.ask(TEXTS)
        with browser.new_context() as stranger:
            tab = stranger.new_page()
            assert tab.goto(page.address).status == 401
            assert tab.goto(f"{page.address}/enter/nobodys").status == 401
            assert "Open the link" in tab.inner_text("main")
        ann = visit(page)
        page.book.revoke("ann")
        ann.tab.keyboard.press("y")
        ann.tab.wait_for_selector("text=This link was closed")
        assert ann.statuses[403] == 1
        assert page.said() == []

    @pytest.mark.parametrize(
        ("spoil", "status"),
        [
            ("document.querySelector('button.yes').value = 'maybe'", 400),
            ("document.querySelector('input[name=key]').value = ''", 400),
            (f"document.querySelector('input[name=key]').value = 'k'.repeat({LARGEST_FORM})", 413),
            ("document.querySelector('input[name=form_key]').value = 'another'", 403),
        ],
    )
    def test_a_form_that_is_not_the_pages(self, page, visit, spoil, status):
        page.ask(TEXTS)
        ann = visit(page)
        ann.tab.evaluate(spoil)
        ann.tab.keyboard.press("y")
        ann.tab.wait_for_function("() => !document.querySelector('.item')")
        assert ann.statuses[status] == 1
        assert page.said() == []

    @pytest.mark.parametrize(("host", "status"), [("127.0.0.1:1", 403), ("evil.example", 401)])
    def test_a_form_of_another_page(self, page, visit, host, status):
        """A neighbour's port is the same site, to which the cookie goes along; a stranger gets not even that."""
        page.ask(TEXTS)
        ann = visit(page)
        item = ann.item()
        form = (
            f"<form method=post action={page.address}/answer><input name=key value={item}><button name=value value=yes>"
        )
        ann.tab.route(f"http://{host}/", lambda route: route.fulfill(body=form, content_type="text/html"))
        ann.tab.goto(f"http://{host}/")
        ann.tab.click("button")
        ann.tab.wait_for_selector("h1")
        assert ann.statuses[status] == 1
        assert page.said() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_serious(serve, visit, width, scheme):
    page = serve(hosts=AllowedHosts(links=frozenset({"example.org"})))
    text = {"text": "Buy cheap watches now!", "about": {"lang": "en"}}
    page.ask([{**text, "page": "https://example.org/a", "picture": PIXEL}])
    ann = visit(page)
    ann.tab.set_viewport_size({"width": width, "height": WIDTHS[width]})
    ann.tab.emulate_media(color_scheme=scheme)
    found = []

    def look(name):
        ann.screenshot(f"{name}-{width}-{scheme}")
        assert ann.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found.extend(
            (name, rule["id"], [node["html"] for node in rule["nodes"]])
            for rule in Axe().run(ann.tab).response["violations"]
            if rule["impact"] in {"serious", "critical"}
        )

    look("question")
    ann.tab.click("summary >> nth=0")
    ann.tab.keyboard.press("?")
    look("guideline-and-keys")
    ann.tab.click("button.yes")
    ann.tab.wait_for_selector("text=Nothing to label")
    look("done")
    page.book.revoke("ann")
    ann.tab.reload()
    look("refused")
    assert found == []
