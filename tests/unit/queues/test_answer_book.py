"""The file of the page and of the webhook queue, when who made it died before it had its tables."""

import pytest
from pydantic import SecretStr

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.webhook import WebhookQueue
from stratawatch.adapters.secret_address import SecretAddress


def page(root):
    return PageQueue(root)


def webhook(root):
    return WebhookQueue(root, SecretAddress("the service", SecretStr("https://labels.example"), timeout=1), [b"k" * 24])


@pytest.mark.parametrize("made", [page, webhook])
def test_a_file_without_tables_holds_nothing_and_can_be_adopted(tmp_path, made):
    queue = made(tmp_path)
    (tmp_path / queue._file.file).touch()
    assert queue.identity() == ""
    assert queue.batch_keys() == queue.asked_keys() == queue.withdrawn_keys() == frozenset()
    assert queue.describe() == {**queue.describe(), "state": "not in use yet"}
    queue.adopt("ours")
    assert queue.identity() == "ours"
    assert queue.poll({}).events == ()
