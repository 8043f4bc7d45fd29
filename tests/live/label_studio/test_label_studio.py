"""What people do in Label Studio, and what becomes of it here."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from shutil import copytree, rmtree

import pytest

from stratawatch.adapters.queues import label_studio_book
from stratawatch.errors import StratawatchError, Unreachable
from tests.support.batches import KEY, batch
from tests.support.label_studio import another_person, people, said

FIRST, SECOND, THIRD = (f"{KEY}-{number}" for number in range(3))


def values(polled):
    return [(event.item_key, event.value) for event in polled.events]


def asked_and_answered(backend, vote):
    return [(task["data"]["item_key"], len(task["annotations"])) for task in backend.tasks(vote)]


def _refuse(*_):
    raise ConnectionError


@pytest.fixture
def queue(backend):
    """A queue with one batch of three items."""
    queue = backend.queue()
    queue.publish(batch())
    return queue


class TestAnswers:
    def test_arrive_with_the_time_and_the_user_of_the_annotation(self, backend, queue):
        before = datetime.now(UTC)
        number = backend.answer(key=FIRST, value="yes")
        (event,) = queue.poll({}).events
        user = people().get("/api/current-user/whoami").json()["id"]
        assert (event.source, event.item_key, event.value) == ("label_studio", FIRST, "yes")
        assert event.annotator == f"user {user}"
        assert event.event_id.startswith(f"{number}.")
        assert before - timedelta(seconds=1) < event.at < datetime.now(UTC) + timedelta(seconds=1)
        assert event.dated

    def test_yes_no_and_a_skip(self, backend, queue):
        for key, value in ((FIRST, "yes"), (SECOND, "no"), (THIRD, "skip")):
            backend.answer(key=key, value=value)
        assert values(queue.poll({})) == [(FIRST, "yes"), (SECOND, "no"), (THIRD, "skip")]

    def test_an_edit_a_deletion_and_a_new_answer_are_each_one_event(self, backend, queue):
        number = backend.answer(key=FIRST, value="yes")
        polled = queue.poll({})
        seen = values(polled)
        for change in (
            lambda: backend.edit(number, "no"),
            lambda: backend.edit(number, "skip"),
            lambda: backend.delete(number),
            lambda: backend.answer(key=FIRST, value="yes"),
        ):
            change()
            polled = backend.queue().poll(polled.cursor)
            seen += values(polled)
        assert seen == [(FIRST, value) for value in ("yes", "no", "skip", "retract", "yes")]
        assert values(backend.queue().poll({})) == seen
        assert len({event.event_id for event in backend.queue().poll({}).events}) == 5

    def test_one_that_was_deleted_and_given_anew_between_two_polls_is_one_event(self, backend, queue):
        number = backend.answer(key=FIRST, value="yes")
        first = queue.poll({})
        backend.delete(number)
        backend.answer(key=FIRST, value="no")
        assert values(queue.poll(first.cursor)) == [(FIRST, "no")]

    def test_the_same_answer_given_again_is_no_event(self, backend, queue):
        number = backend.answer(key=FIRST, value="yes")
        first = queue.poll({})
        backend.edit(number, "yes")
        assert queue.poll(first.cursor).events == ()

    def test_a_deletion_that_moved_no_time_is_found_when_all_is_read(self, backend, queue, monkeypatch):
        number = backend.answer(key=FIRST, value="yes")
        first = queue.poll({})
        backend.delete(number)
        monkeypatch.setattr(label_studio_book, "OVERLAP", -timedelta(hours=1))
        assert queue.poll(first.cursor).events == ()
        monkeypatch.setattr(label_studio_book, "RECONCILED_EVERY", timedelta(0))
        assert values(queue.poll(first.cursor)) == [(FIRST, "retract")]

    def test_a_task_that_was_deleted_takes_no_answer_back(self, backend, queue, monkeypatch):
        backend.answer(key=FIRST, value="yes")
        first = queue.poll({})
        said("DELETE", f"/api/tasks/{backend.task(FIRST)['id']}/")
        monkeypatch.setattr(label_studio_book, "RECONCILED_EVERY", timedelta(0))
        assert queue.poll(first.cursor).events == ()

    def test_are_read_on_where_a_poll_ended_after_its_pages(self, backend, queue, monkeypatch):
        for module in ("label_studio_api", "label_studio"):
            monkeypatch.setattr(f"stratawatch.adapters.queues.{module}.A_CALL", 1)
        monkeypatch.setattr("stratawatch.adapters.queues.label_studio.MOST_PAGES", 1)
        for key, value in ((FIRST, "yes"), (SECOND, "no"), (THIRD, "skip")):
            backend.answer(key=key, value=value)
        seen = [values(backend.queue().poll({})) for _ in range(3)]
        assert [len(found) for found in seen] == [1, 2, 3]


class TestTasks:
    def test_hold_the_question_and_the_payload_as_text_alone(self, backend):
        odd = '<Choice value="x"/> &amp; $text <script>alert(1)</script>'
        queue = backend.queue()
        queue.publish(batch(text=odd, count=1))
        (task,) = backend.tasks()
        assert task["data"] == {
            "item_key": FIRST,
            "batch": KEY,
            "question": "Is it spam?",
            "guideline": "Read the guideline.",
            "text": f"text: {odd}\n\nscore_free: 0",
        }
        project = people().get(f"/api/projects/{backend.project}/").json()
        assert "HyperText" not in project["label_config"]
        assert project["parsed_label_config"]["answer"]["labels"] == ["yes", "no"]

    def test_with_an_answer_stay_when_their_batch_ends(self, backend, queue):
        backend.answer(key=FIRST, value="yes")
        queue.close([KEY])
        assert [line["key"] for line in backend.asked()] == [FIRST]
        backend.edit(backend.tasks()[0]["annotations"][0]["id"], "no")
        assert values(queue.poll({})) == [(FIRST, "no")]

    def test_lose_their_payload_and_keep_their_answers(self, backend, queue):
        backend.answer(key=FIRST, value="yes")
        first = queue.poll({})
        queue.drop_payload({KEY: {FIRST, SECOND}})
        assert {task["data"]["item_key"]: task["data"]["text"] for task in backend.tasks()} == {
            FIRST: "",
            THIRD: "text: hello\n\nscore_free: 2",
        }
        assert queue.poll(first.cursor).events == ()

    def test_of_a_second_vote_are_in_a_project_of_their_own(self, backend, queue):
        backend.answer(key=FIRST, value="yes")
        second = replace(batch(), key=f"{KEY}-v2", tasks=batch().tasks[:1], vote=2)
        assert not queue.publish(second).duplicate
        assert asked_and_answered(backend, 1) == [(FIRST, 1), (SECOND, 0), (THIRD, 0)]
        assert asked_and_answered(backend, 2) == [(FIRST, 0)]
        queue.cancel([second.key])
        assert [asked_and_answered(backend, vote) for vote in (1, 2)] == [[(FIRST, 1), (SECOND, 0), (THIRD, 0)], []]


class TestVotes:
    """Three people, each of whom answers in a project of his own."""

    @pytest.fixture(autouse=True)
    def _three(self, backend):
        backend.votes = 3

    @pytest.fixture
    def crowd(self):
        return [people(), another_person("bob"), another_person("cem")]

    def test_each_project_asks_one_of_them_and_shows_nobody_what_others_said(self, backend, queue, crowd):
        for vote, (person, value) in enumerate(zip(crowd, ("yes", "no", "yes"), strict=True), 1):
            (open_task,) = [task for task in backend.tasks(vote) if task["data"]["item_key"] == FIRST]
            assert open_task["annotations"] == []
            backend.answer(key=FIRST, value=value, vote=vote, who=person)
        events = queue.poll({}).events
        assert [(event.item_key, event.value) for event in events] == [(FIRST, "yes"), (FIRST, "no"), (FIRST, "yes")]
        assert len({event.annotator for event in events}) == 3
        assert queue.describe()["items of which one person gave two votes"] == "0"
        assert [asked_and_answered(backend, vote)[0] for vote in (1, 2, 3)] == [(FIRST, 1)] * 3

    def test_of_one_person_are_counted_and_a_deletion_brings_the_other_answer_back(self, backend, queue):
        backend.answer(key=FIRST, value="yes", vote=1)
        second = backend.answer(key=FIRST, value="no", vote=2)
        first = queue.poll({})
        assert values(first) == [(FIRST, "yes"), (FIRST, "no")]
        assert queue.describe()["items of which one person gave two votes"] == "1"
        backend.delete(second)
        again = queue.poll(first.cursor)
        assert values(again) == [(FIRST, "yes")]
        assert again.events[0].at >= first.events[-1].at
        assert queue.describe()["items of which one person gave two votes"] == "0"

    def test_end_in_every_project_with_their_batch(self, backend, queue):
        backend.answer(key=SECOND, value="no", vote=3)
        queue.cancel([KEY])
        assert [asked_and_answered(backend, vote) for vote in (1, 2, 3)] == [[], [], [(SECOND, 1)]]

    def test_lose_their_payload_in_every_project(self, backend, queue):
        backend.answer(key=SECOND, value="no", vote=2)
        queue.drop_payload({KEY: {SECOND}})
        assert [asked_and_answered(backend, vote) for vote in (1, 2, 3)] == [
            [(FIRST, 0), (THIRD, 0)],
            [(FIRST, 0), (SECOND, 1), (THIRD, 0)],
            [(FIRST, 0), (THIRD, 0)],
        ]
        assert backend.task(SECOND, 2)["data"]["text"] == ""

    def test_are_those_that_were_asked_for_when_the_batch_was_first_noted(self, backend, queue, monkeypatch):
        with monkeypatch.context() as broken:
            broken.setattr(type(queue._api), "import_tasks", _refuse)
            with pytest.raises(ConnectionError):
                queue.publish(batch("other"))
        backend.votes = 1
        backend.queue().publish(batch("other"))
        assert [len(backend.tasks(vote)) for vote in (1, 2, 3)] == [6, 6, 6]

    def test_of_an_older_copy_of_the_file_are_asked_in_the_same_projects(self, backend, tmp_path):
        backend.queue()
        copytree(backend.root, tmp_path / "copy")
        queue = backend.queue()
        queue.publish(batch())
        before = [queue.project(vote) for vote in (1, 2, 3)]
        rmtree(backend.root)
        (tmp_path / "copy").rename(backend.root)
        backend.queue().publish(batch())
        assert [backend.queue().project(vote) for vote in (1, 2, 3)] == before
        assert [len(backend.tasks(vote)) for vote in (1, 2, 3)] == [3, 3, 3]
        backend.queue().drop_payload({"unknown": {FIRST}})


class TestProject:
    def test_is_made_once_for_all_batches(self, backend, queue):
        number = queue.project()
        queue.publish(batch("other"))
        assert backend.queue().project() == number

    def test_another_installation_has_another(self, backend, queue, tmp_path):
        other = type(backend)(tmp_path / "other").queue()
        assert other.project() != queue.project()

    def test_after_an_older_copy_of_the_file_came_back_nothing_is_asked_or_said_twice(self, backend, tmp_path):
        queue = backend.queue()
        copytree(backend.root, tmp_path / "copy")
        queue.publish(batch())
        backend.answer(key=FIRST, value="yes")
        first = queue.poll({})
        rmtree(backend.root)
        (tmp_path / "copy").rename(backend.root)
        backend.queue().publish(batch())
        assert len(backend.tasks()) == 3
        assert backend.queue().poll({}).events == first.events
        assert backend.queue().poll(first.cursor).events == ()


class TestTokens:
    @pytest.fixture
    def personal(self):
        return people().post("/api/token/").json()["token"]

    def test_a_personal_one_is_exchanged_for_access_that_is_renewed(self, backend, personal, monkeypatch):
        queue = backend.unmarked(personal)
        queue.adopt("ours")
        queue.publish(batch(count=1))
        queue._api._access = ("taken back", float("inf"))
        assert queue.poll({}).events == ()
        access = queue._api._access[0]
        monkeypatch.setattr("time.monotonic", lambda: queue._api._access[1] + 1)
        assert queue.describe()["batches out"] == "1"
        assert queue._api._access[0] != access

    @pytest.mark.parametrize("token", ["f" * 40, "e30.e30.e30"])
    def test_one_that_is_refused_is_a_sentence_without_it(self, backend, token):
        queue = backend.unmarked(token)
        queue.adopt("ours")
        with pytest.raises(StratawatchError, match="HTTP 401") as caught:
            queue.publish(batch())
        assert token not in f"{caught.value} {caught.value.__cause__}"
        assert "token" in str(caught.value)


class TestTrouble:
    def test_a_project_that_was_deleted(self, backend, queue):
        said("DELETE", f"/api/projects/{queue.project()}/")
        with pytest.raises(StratawatchError, match="project was deleted") as caught:
            queue.poll({})
        assert f"for project {queue.project()}" in str(caught.value)

    def test_a_server_that_is_away(self, backend, queue):
        away = backend.unmarked(address="http://127.0.0.1:9")
        with pytest.raises(Unreachable, match="Label Studio cannot be reached"):
            away.poll({})
        away.cancel([KEY])
        assert len(backend.tasks()) == 3
        queue.poll({})
        assert backend.tasks() == []
