"""The label page: who may see it, what it shows and what an answer becomes."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.queues.page_book import HELD
from stratawatch.web.app import COOKIE, HEADERS
from stratawatch.web.forms import LARGEST_FORM
from tests.support.label_pages import NOW, Page, batch, fields, left, say


class TestWhoMaySeeIt:
    def test_nobody_without_a_link(self, page):
        page.queue.publish(batch("k1"))
        for path in ("/", "/enter/nobodys"):
            shown = page.stranger().get(path)
            assert shown.status_code == 401
            assert "spam" not in shown.text
        for path in ("/answer", "/undo"):
            assert page.stranger().post(path, data={"key": "k1", "value": "yes"}).status_code == 401
        assert page.words() == []

    def test_nobody_whose_link_was_revoked_or_replaced(self, page):
        page.queue.publish(batch("k1"))
        ann, ben = page.browser("ann"), page.browser("ben")
        page.book.revoke("ann")
        assert ann.get("/").status_code == 403
        page.book.invite("ben")
        assert ben.get("/").status_code == 401
        assert page.book.annotators() == [("ann", False, 0), ("ben", True, 0)]

    def test_tokens_are_kept_as_hashes_and_in_a_cookie_that_scripts_cannot_read(self, page):
        token = page.book.invite("ann")
        answer = page.stranger().get(f"/enter/{token}", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        assert {"httponly", "samesite=lax"} <= {
            part.strip().lower() for part in answer.headers["set-cookie"].split(";")
        }
        assert token.encode() not in page.book.path.read_bytes()

    def test_a_form_of_another_site_is_refused(self, page):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        ann.get("/")
        assert ann.post("/answer", data={"key": "k1", "value": "yes"}).status_code == 403
        assert ann.post("/answer", data={"key": "k1", "value": "yes", "form_key": "0" * 64}).status_code == 403
        assert ann.post("/undo", data={}).status_code == 403
        assert page.words() == []

    def test_every_answer_carries_the_headers(self, page):
        for path in ("/", "/static/page.css", "/static/page.js", "/static/../app.py", "/nowhere"):
            found = page.stranger().get(path)
            assert all(found.headers[name] == value for name, value in HEADERS.items()), path


class TestAnswers:
    @pytest.mark.parametrize("value", ["yes", "no", "skip"])
    def test_become_label_events(self, page, value):
        page.queue.publish(batch("k1"))
        shown = say(page.browser("ann"), value)
        assert "Nothing to label" in shown.text
        (event,) = page.queue.poll({}).events
        assert (event.item_key, event.annotator, event.value, event.at) == ("k1", "ann", value, NOW)

    def test_keep_question_guideline_and_the_reason_of_a_skip(self, page):
        page.queue.publish(batch("k1"))
        say(page.browser("ann"), "skip", reason="  in a language that I do not read ")
        with page.book.reading() as sql:
            row = sql.execute("SELECT question_key, guideline, said FROM answers").fetchone()
        assert row[:2] == ("q1", "Read it twice.")
        assert '"note": "in a language that I do not read"' in row[2]

    def test_are_taken_back_by_an_event_and_the_item_comes_again(self, page):
        page.queue.publish(batch("k1", "k2"))
        ann = page.browser("ann")
        first = fields(ann.get("/"))["key"]
        say(ann, "yes")
        back = ann.post("/undo", data=fields(ann.get("/")))
        assert "taken back" in back.text
        assert fields(back)["key"] == first
        say(ann, "no")
        assert [value for _, _, value in page.words()] == ["yes", "retract", "no"]
        say(ann, "no")
        ann.post("/undo", data=fields(ann.get("/")))
        ann.post("/undo", data=fields(ann.get("/")))
        assert "no answer of yours" in ann.post("/undo", data=fields(ann.get("/"))).text

    def test_that_are_taken_back_after_their_batch_was_put_away_are_asked_for_again(self, page):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        say(ann, "yes")
        page.queue.close(["spam-p00000-r1-b1"])
        back = ann.post("/undo", data=fields(ann.get("/")))
        assert fields(back)["key"] == "k1"
        say(ann, "no")
        assert [value for _, _, value in page.words()] == ["yes", "retract", "no"]

    def test_once_each_although_a_form_is_sent_twice(self, page):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        form = {**fields(ann.get("/")), "value": "yes"}
        ann.post("/answer", data=form)
        assert "needs no answer any more" in ann.post("/answer", data=form).text
        assert page.words() == [("k1", "ann", "yes")]

    @pytest.mark.parametrize(
        "said",
        [{"value": "maybe"}, {"value": ""}, {"key": ""}, {"reason": "x" * 201}, {"batch": "x"}, {"batch": "9" * 30}],
        ids=["no word", "nothing", "no item", "long reason", "no batch", "large batch"],
    )
    def test_that_are_none_are_refused(self, page, said):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        assert ann.post("/answer", data={**fields(ann.get("/")), "value": "yes", **said}).status_code == 400
        assert page.words() == []

    def test_that_are_too_long_or_no_text_are_refused(self, page):
        ann = page.browser("ann")
        assert ann.post("/answer", content=b"x" * (LARGEST_FORM + 1)).status_code == 413
        assert ann.post("/answer", content=b"\xff\xfe=\xff").status_code == 400
        assert ann.post("/answer", content=b"&".join(b"a=1" for _ in range(50))).status_code == 400

    def test_to_items_that_were_not_asked_are_not_kept(self, page):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        say(ann, "yes", key="k9")
        assert page.words() == []

    def test_to_another_batch_are_not_kept(self, page):
        page.queue.publish(batch("k1"))
        page.queue.publish(batch("k2", key="b2"))
        ann = page.browser("ann")
        say(ann, "yes", key="k1", batch="2")
        say(ann, "yes", key="k1", batch="3")
        assert page.words() == []

    def test_keep_the_guideline_that_was_shown(self, page):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        form = {**fields(ann.get("/")), "value": "yes"}
        page.queue.publish(replace(batch("k1", key="b2"), guideline="Read it once.", question_key="q2"))
        assert "Read it once." in ann.get("/").text
        ann.post("/answer", data=form)
        with page.book.reading() as sql:
            assert sql.execute("SELECT question_key, guideline FROM answers").fetchall() == [("q1", "Read it twice.")]

    @pytest.mark.parametrize("ending", ["cancel", "close"])
    def test_are_asked_for_with_the_guideline_of_a_batch_that_is_out(self, page, ending):
        page.queue.publish(batch("k1"))
        page.queue.publish(replace(batch("k1", key="b2"), guideline="Read it once."))
        getattr(page.queue, ending)(["b2"])
        assert "Read it twice." in page.browser("ann").get("/").text

    def test_to_a_batch_that_was_withdrawn_meanwhile_still_count(self, page):
        page.queue.publish(batch("k1"))
        ann = page.browser("ann")
        form = {**fields(ann.get("/")), "value": "yes"}
        page.queue.cancel(["spam-p00000-r1-b1"])
        ann.post("/answer", data=form)
        assert page.words() == [("k1", "ann", "yes")]


class TestTwoPeople:
    @pytest.mark.parametrize("votes", [1, 3])
    def test_answer_each_item_so_often_as_votes_say_and_nobody_one_twice(self, tmp_path, votes):
        page = Page(tmp_path / "queue", votes)
        keys = [f"k{number}" for number in range(12)]
        page.queue.publish(batch(*keys))
        people = [page.browser(name) for name in ("ann", "ben", "cleo", "dan")]
        for _ in range(12):
            for client in people:
                if fields(client.get("/")).get("key"):
                    say(client, "yes")
        assert Counter(key for key, _, _ in page.words()) == dict.fromkeys(keys, votes)
        assert max(Counter((key, who) for key, who, _ in page.words()).values()) == 1

    def test_see_different_items_in_different_order(self, page):
        page.queue.publish(batch(*(f"k{number}" for number in range(24))))
        orders = []
        for name in ("ann", "ben"):
            client, order = page.browser(name), []
            for _ in range(10):
                order.append(fields(client.get("/"))["key"])
                say(client, "no")
            orders.append(order)
        assert not {*orders[0]} & {*orders[1]}
        assert orders[0] != sorted(orders[0])

    def test_an_item_that_is_looked_at_is_held_and_let_go(self, page):
        page.queue.publish(batch("k1"))
        ann, ben = page.browser("ann"), page.browser("ben")
        form = {**fields(ann.get("/")), "value": "yes"}
        assert "Nothing to label" in ben.get("/").text
        page.now += HELD + timedelta(seconds=1)
        assert say(ben, "no").status_code == 200
        assert "needs no answer any more" in ann.post("/answer", data=form).text
        assert page.words() == [("k1", "ben", "no")]

    def test_progress_is_ones_own(self, page):
        page.queue.publish(batch("k1", "k2", "k3", "k4"))
        ann, ben = page.browser("ann"), page.browser("ben")
        say(ann, "yes")
        assert left(ann) == [1, 2]  # one of the three is held by ben
        assert left(ben) == [0, 2]


def test_payload_that_is_dropped_is_not_in_the_file_and_answers_stay(page):
    page.queue.publish(batch("k1", payload={"text": "secret of k1 " * 500}))
    page.queue.publish(batch("k2", key="b2"))
    ann = page.browser("ann")
    say(ann, "yes")
    say(ann, "skip", note="secret reason")
    page.queue.close(["spam-p00000-r1-b1"])
    for _ in range(2):
        page.queue.drop_payload({"spam-p00000-r1-b1": ["k1"], "b2": ["k2"], "nowhere": ["k3"]})
    assert all(b"secret" not in file.read_bytes() for file in page.book.root.iterdir())
    assert {value for _, _, value in page.words()} == {"yes", "skip"}
    with page.book.reading() as sql:
        assert sql.execute("SELECT item_key, payload FROM tasks").fetchall() == [("k1", "{}")]


def test_an_item_that_is_erased_while_somebody_looks_at_it_gets_no_answer(page):
    page.queue.publish(batch("k1", payload={"text": "secret of k1"}))
    page.queue.publish(batch("k2", key="b2"))
    ann = page.browser("ann")
    shown = ann.get("/")
    key = fields(shown)["key"]
    page.queue.drop_payload({"spam-p00000-r1-b1": [key], "b2": [key]})
    after = ann.post("/answer", data={**fields(shown), "value": "yes"})
    assert "That item needs no answer any more" in after.text
    assert fields(after)["key"] != key
    assert page.words() == []


def test_a_page_whose_file_is_away_says_so(page):
    ann = page.browser("ann")
    page.book.path.rename(page.book.path.with_name("elsewhere"))
    shown = ann.get("/")
    assert shown.status_code == 503
    assert "away" in shown.text
    assert not page.book.path.exists()


def test_answers_of_a_file_that_was_put_back_are_read_again(page, tmp_path):
    """A backup of the page's file numbers its next answers as those that were read already."""
    page.queue.publish(batch("k1", "k2", "k3"))
    ann = page.browser("ann")
    say(ann, "yes")
    saved = page.book.path.read_bytes()
    wal = page.book.path.with_name(page.book.path.name + "-wal")
    saved_wal = wal.read_bytes() if wal.exists() else None
    say(ann, "no")
    cursor = page.queue.poll({}).cursor
    page.book.path.write_bytes(saved)
    wal.write_bytes(saved_wal) if saved_wal is not None else wal.unlink(missing_ok=True)
    page.book.path.with_name(page.book.path.name + "-shm").unlink(missing_ok=True)
    say(ann, "skip")
    values = [event.value for event in page.queue.poll(cursor).events]
    assert values == ["yes", "skip"]
    assert ann.cookies.get(COOKIE)


class TestFurtherVotes:
    """A batch of its own asks one more person about an item that somebody answered."""

    SECOND = "spam-p00000-r1-v2-1"

    def test_go_to_another_person_and_to_nobody_after_that(self, page):
        page.queue.publish(batch("k1", "k2"))
        ann = page.browser("ann")
        for _ in range(2):
            say(ann, "yes")
        ben, cem = page.browser("ben"), page.browser("cem")
        assert fields(ben.get("/")).get("key") is None
        page.queue.publish(batch("k1", key=self.SECOND))
        assert fields(ann.get("/")).get("key") is None
        assert fields(ben.get("/"))["key"] == "k1"
        say(ben, "no")
        assert fields(cem.get("/")).get("key") is None
        assert sorted(page.words()) == [("k1", "ann", "yes"), ("k1", "ben", "no"), ("k2", "ann", "yes")]

    def test_are_not_asked_for_twice_where_the_batch_is_published_again_or_the_first_was_put_away(self, page):
        page.queue.publish(batch("k1"))
        ann, ben = page.browser("ann"), page.browser("ben")
        say(ann, "yes")
        page.queue.close(["spam-p00000-r1-b1"])
        for _ in range(2):
            page.queue.publish(batch("k1", key=self.SECOND))
        say(ben, "no")
        assert fields(page.browser("cem").get("/")).get("key") is None

    def test_that_were_withdrawn_are_nobodys(self, page):
        page.queue.publish(batch("k1"))
        say(page.browser("ann"), "yes")
        page.queue.publish(batch("k1", key=self.SECOND))
        page.queue.cancel([self.SECOND])
        assert fields(page.browser("ben").get("/")).get("key") is None
