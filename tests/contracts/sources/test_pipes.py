"""A pipe among the files: whoever opens it waits for ever, and a window without its rows would be judged on a part."""

import os

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.errors import Unreachable
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import write

ROWS = {
    "id": ("VARCHAR", ["a"]),
    "ts": ("TIMESTAMP", [START.replace(tzinfo=None)]),
    "score": ("DOUBLE", [0.25]),
    "flag": ("BOOLEAN", [False]),
}


@pytest.mark.parametrize("path", ["", "*.csv", "b.csv"])
def test_a_pipe_is_a_sentence_and_is_never_opened(tmp_path, path):
    write(tmp_path / "a.csv", ROWS)
    os.mkfifo(tmp_path / "b.csv")
    with pytest.raises(Unreachable, match=r"b\.csv' is a pipe or a device"):
        FilesSource(tmp_path / path).census(panel(), WINDOW)


def test_a_folder_with_the_name_of_a_file_is_looked_into(tmp_path):
    write(tmp_path / "a.csv" / "part-0.csv", ROWS)
    assert FilesSource(tmp_path).census(panel(), WINDOW).profile.rows == 1
