"""The watch over lost runs goes on whatever happens, and says loudly what is no trouble of the server."""

import logging
from unittest.mock import MagicMock

import httpx
import pytest

from flows import lost_runs


class Stopped(BaseException):
    """Ends the endless watch."""


def test_it_outlives_a_server_that_is_away_and_a_bug(monkeypatch):
    said, looks = MagicMock(), [httpx.ConnectError("away"), KeyError("total"), Stopped()]
    monkeypatch.setattr(lost_runs, "get_client", MagicMock(side_effect=looks))
    monkeypatch.setattr(lost_runs, "get_logger", lambda _: said)
    monkeypatch.setattr(lost_runs, "LOOK", 0.0)
    with pytest.raises(Stopped):
        lost_runs.watch_for_ever()
    assert [call.args[0] for call in said.log.call_args_list] == [logging.DEBUG, logging.ERROR]
