"""What the label page does to nasty payloads, and which of them are links and images."""

import re
from dataclasses import replace

import pytest

from stratawatch.web.payload_view import LARGEST_IMAGE, AllowedHosts, shown_payload
from tests.support.label_pages import Page, batch
from tests.support.nasty_payloads import NASTY, PIXEL


class TestPayloads:
    @pytest.mark.parametrize("name", NASTY)
    def test_do_nothing(self, page, name):
        page.queue.publish(batch("k1", payload={name: NASTY[name], "<name onclick=x>": 1}))
        text = page.browser("ann").get("/").text
        inside = text.partition("<dl>")[2].partition("</dl>")[0]
        assert set(re.findall(r"<\s*(\w+)", inside)) <= {"dt", "dd", "bdi"}
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
        assert "49" not in inside

    def test_marks_that_nobody_sees_are_replaced_and_joiners_are_kept(self, page):
        page.queue.publish(
            batch("k1", payload={"text": "a\u200bb\u00adc\ufeffd\u2028e\U000e0041f\u2060g \u0646\u200c\u0645 \u200d"})
        )
        text = page.browser("ann").get("/").text
        assert "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg \u0646\u200c\u0645 \u200d" in text

    @pytest.mark.parametrize("value", [None, "", " \n"])
    def test_a_field_without_a_value_is_said_to_be_empty(self, page, value):
        page.queue.publish(batch("k1", payload={"text": value, "said": "null", "more": []}))
        text = page.browser("ann").get("/").text
        assert '<dt><bdi>text</bdi></dt>\n<dd><bdi><em class="empty">empty</em></bdi></dd>' in text
        assert "<dd><bdi>null</bdi></dd>" in text
        assert "<dd><bdi>[]</bdi></dd>" in text

    def test_an_address_at_an_allowed_host_is_a_link_that_tells_nobody_where_it_was(self, tmp_path):
        page = Page(tmp_path / "queue", hosts=AllowedHosts(links=frozenset({"example.org"})))
        page.queue.publish(batch("k1", payload={"page": "https://example.org/a?b=1&c=2"}))
        text = page.browser("ann").get("/").text
        assert '<a href="https://example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow">' in text

    def test_an_address_is_text_where_no_host_is_allowed(self, page):
        page.queue.publish(batch("k1", payload={"page": "https://example.org/a", "image": "https://example.org/a.png"}))
        shown = page.browser("ann").get("/")
        assert "https://example.org/a.png" in shown.text
        assert not re.search("<(a|img) ", shown.text)
        assert shown.headers["Content-Security-Policy"].endswith("; img-src data:")

    def test_images_come_from_allowed_hosts_or_as_data(self, tmp_path):
        page = Page(tmp_path / "queue", hosts=AllowedHosts(images=frozenset({"img.example.org"})))
        page.queue.publish(batch("k1", payload={"a": "https://img.example.org/a.png", "b": PIXEL, "c": "text"}))
        shown = page.browser("ann").get("/")
        assert re.findall('<img src="([^"]*)"', shown.text) == ["https://img.example.org/a.png", PIXEL]
        assert shown.headers["Content-Security-Policy"].endswith("; img-src data: https://img.example.org")

    def test_a_megabyte_is_cut(self, page):
        page.queue.publish(batch("k1", payload={"text": "x" * 2**20}))
        shown = page.browser("ann").get("/")
        assert "cut off here" in shown.text
        assert len(shown.text) < 200_000

    def test_question_and_guideline_are_escaped_too(self, page):
        page.queue.publish(replace(batch("k1"), question="<script>q</script>", guideline="</p><script>g</script>"))
        text = page.browser("ann").get("/").text
        assert "<script>q" not in text
        assert "<script>g" not in text

    def test_an_annotators_name_is_escaped(self, page):
        page.queue.publish(batch("k1"))
        assert "<script>n" not in page.browser("<script>n</script>").get("/").text


@pytest.mark.parametrize(
    "value",
    [
        "https://example.org.evil.example/a",
        "https://sub.example.org/a",
        "https://evil.example/https://example.org/",
        "https://user@example.org/",
        "https://example.org@evil.example/",
        "https://evil.example\\@example.org/",
        "https://example.org\\@evil.example/",
        "https://example.org:8443/",
        "https://[example.org/",
        "//example.org/a",
        "javascript://example.org/%0aalert(1)",
        "data:text/html,https://example.org/",
        "data:image/svg+xml;base64,PHN2Zy8+",
        'data:image/png;base64,AAAA" onerror=alert(1)',
        "data:image/png;base64," + "A" * LARGEST_IMAGE,
        "https://example.org/ https://example.org/",
        {"a": "https://example.org/"},
        ["https://example.org/"],
        None,
        7,
    ],
)
def test_no_other_value_is_a_link_or_an_image(value):
    example = frozenset({"example.org"})
    (shown,) = shown_payload({"value": value}, AllowedHosts(example, example))
    assert (shown.link, shown.image) == ("", "")
    assert shown.text


def test_an_image_is_loaded_by_https_alone():
    example = frozenset({"example.org"})
    (shown,) = shown_payload({"value": "http://example.org/a.png"}, AllowedHosts(example, example))
    assert (shown.link, shown.image) == ("http://example.org/a.png", "")
