"""The folder queue on its way out: whole files or none, whenever the process stops."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from stratawatch import atomic_files
from stratawatch.adapters.queues.folder import FolderQueue, FolderSettings
from stratawatch.errors import Unreachable
from tests.support.batches import KEY, batch, marked_queue
from tests.support.programs import start


def lines(root, key=KEY):
    return [json.loads(line) for line in (root / "out" / f"{key}.jsonl").read_text().splitlines()]


def out_names(root):
    return [path.name for path in (root / "out").iterdir()]


class TestFile:
    def test_the_first_line_says_what_follows(self, tmp_path):
        marked_queue(tmp_path).publish(batch())
        header, *tasks = lines(tmp_path)
        assert {k: header[k] for k in ("batch", "question", "guideline", "count")} == {
            "batch": KEY,
            "question": "Is it spam?",
            "guideline": "Read the guideline.",
            "count": 3,
        }
        assert len(tasks) == 3

    def test_odd_texts_stay_one_line_for_every_reader(self, tmp_path):
        text = "a\u2028b\u0085c\nd\r\x0be \U0001f642 \ud800 " + "x" * 10_000
        marked_queue(tmp_path).publish(batch(text=text))
        assert lines(tmp_path)[1]["payload"]["text"] == text


class Stopped(BaseException):
    """The process ends here."""


STEPS = ["open", "fsync", "link", "after link", "unlink", "sync_folder"]


def stop_at(monkeypatch, step):
    def stop(*_args, **_kwargs):
        raise Stopped

    def link_and_stop(*args):
        real(*args)
        raise Stopped

    real = os.link
    for owner, name, stand_in in {
        "open": [(Path, "open", stop)],
        "fsync": [(os, "fsync", stop)],
        "link": [(os, "link", stop)],
        "after link": [(os, "link", link_and_stop), (atomic_files, "_tidy", stop)],
        "unlink": [(atomic_files, "_tidy", stop)],
        "sync_folder": [(atomic_files, "sync_folder", stop)],
    }[step]:
        monkeypatch.setattr(owner, name, stand_in)


class TestStoppedProcess:
    @pytest.mark.parametrize("step", STEPS)
    def test_a_batch_is_out_whole_or_not_at_all_and_once_after_a_restart(self, tmp_path, monkeypatch, step):
        queue = marked_queue(tmp_path)
        with monkeypatch.context() as patch:
            stop_at(patch, step)
            with pytest.raises(Stopped):
                queue.publish(batch())
        whole = {0, 1} if step != "open" else {0}
        assert len(list((tmp_path / "out").glob("*.jsonl"))) in whole
        for file in (tmp_path / "out").glob("*.jsonl"):
            assert len(file.read_text().splitlines()) == 4
        marked_queue(tmp_path).publish(batch())
        assert len(lines(tmp_path)) == 4
        assert out_names(tmp_path) == [f"{KEY}.jsonl"]

    def test_killing_publishers_at_random_leaves_whole_files_only(self, tmp_path):
        code = (
            "import sys; from pathlib import Path; from tests.support.batches import batch, marked_queue\n"
            "queue = marked_queue(Path(sys.argv[1]))\n"
            "print('go', flush=True)\n"
            "for i in range(100000): queue.publish(batch(f'b{i}', count=50))\n"
        )
        for round_ in range(4):
            child = start("-c", code, tmp_path)
            child.stdout.readline()
            time.sleep(0.05 + 0.03 * round_)
            child.send_signal(signal.SIGKILL)
            child.wait()
            child.stdout.close()
        files = sorted((tmp_path / "out").glob("*.jsonl"))
        assert len(files) > 3
        for file in files:
            assert len([json.loads(line) for line in file.read_text().splitlines()]) == 51

    def test_the_draft_of_a_killed_process_is_tidied_away(self, tmp_path):
        (tmp_path / "out").mkdir(parents=True)
        (tmp_path / "out" / f".{KEY}.jsonl.0123.tmp").write_text("half a fi")
        marked_queue(tmp_path).publish(batch())
        assert out_names(tmp_path) == [f"{KEY}.jsonl"]


class TestTrouble:
    def test_a_full_disk_is_unreachable_and_leaves_nothing(self, tmp_path, monkeypatch):
        def full(_handle):
            raise OSError(28, "No space left on device")

        queue = marked_queue(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(Unreachable, match="No space left"):
                queue.publish(batch())
        assert out_names(tmp_path) == []

    def test_describe_proves_that_it_can_be_written(self, tmp_path, monkeypatch):
        def read_only(_path, _content):
            raise OSError(30, "Read-only file system")

        queue = marked_queue(tmp_path)
        monkeypatch.setattr(Path, "write_bytes", read_only)
        with pytest.raises(Unreachable, match="Read-only file system"):
            queue.describe()

    def test_describe_counts_and_mentions_files_nobody_reads(self, tmp_path):
        queue = marked_queue(tmp_path)
        queue.publish(batch())
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / "labels.csv").write_text("")
        found = queue.describe()
        assert found["batches out"] == "1"
        assert found["files in in/ that are not read (only *.jsonl is)"] == "1"
        assert queue.unread_files() == ("labels.csv",)

    def test_of_a_folder_that_is_not_there_no_file_is_unread(self, tmp_path):
        assert FolderQueue(tmp_path / "queue").unread_files() == ()

    def test_building_a_queue_touches_no_disk(self, tmp_path):
        FolderQueue(tmp_path / "queue")
        assert not (tmp_path / "queue").exists()


class TestMode:
    def modes(self, root):
        return {path.relative_to(root).as_posix(): f"{path.stat().st_mode & 0o7777:o}" for path in root.rglob("*")}

    def test_new_folders_and_files_have_that_of_the_configuration(self, tmp_path):
        root = tmp_path / "queue"
        queue = marked_queue(root, mode=0o2770)
        queue.publish(batch())
        queue.cancel(["other"])
        (root / "in" / "ann.jsonl").write_text("rubbish\n")
        queue.poll({})
        queue.drop_payload({batch().key: {batch().tasks[0].item_key}})
        found = self.modes(root)
        del found["in/ann.jsonl"]
        assert f"{root.stat().st_mode & 0o7777:o}" == "2770"
        assert {name: mode for name, mode in found.items() if "." not in name} == dict.fromkeys(
            ("out", "in", "rejected", "cancelled", "done"), "2770"
        )
        assert {mode for name, mode in found.items() if "." in name} == {"660"}

    def test_folders_that_are_there_keep_theirs(self, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out").chmod(0o711)
        marked_queue(tmp_path, mode=0o2770).publish(batch())
        assert self.modes(tmp_path)["out"] == "711"

    @pytest.mark.parametrize("text", ["770", "0770", "2770"])
    def test_it_is_written_as_for_chmod(self, text):
        assert FolderSettings.model_validate({"kind": "folder", "mode": text}).mode == text

    @pytest.mark.parametrize("text", ["rwx", "077", "7", "0o770", "888"])
    def test_one_that_locks_its_owner_out_is_refused(self, text):
        with pytest.raises(ValueError, match="no mode of a folder"):
            FolderSettings.model_validate({"kind": "folder", "mode": text})
