"""`doctor`: whether what runs the installation is well."""

import sqlite3
from collections import namedtuple
from unittest.mock import Mock

HOOK = '\n[[alerts]]\nkind = "webhook"\nname = "ops"\nurl = "${env:OPS_HOOK}"\n'


def found(installation, code=0):
    return {row["part"]: row for row in installation.json("doctor", code=code)["findings"]}


def test_a_sound_installation_is_well(fresh):
    fresh.configure(("2026-01-05T00:00:00Z", "2099-01-05T00:00:00Z"))  # by the machine's clock no window is over
    fresh.run("advance")
    lines = found(fresh)
    assert {part: row["state"] for part, row in lines.items() if row["state"] != "ok"} == {"channels": "warning"}
    for part in ("versions", "server", "configuration", "store", "schedule", "leases", "queue", "clock"):
        assert lines[part]["state"] == "ok"
    assert "schema 00" in lines["store"]["fact"]
    assert "marked as" in lines["queue"]["fact"]
    assert "0 troubles, 1 warning" in fresh.run("doctor").stdout


def test_every_part_says_its_own_trouble(fresh, monkeypatch):
    fresh.run("advance")
    fresh.configure(more=HOOK)
    fresh.environment = {"PREFECT_API_URL": "http://127.0.0.1:9/api"}
    (fresh.folder / "queue" / "stratawatch-queue.json").write_text('{"queue": "others"}')
    with sqlite3.connect(fresh.folder / "stratawatch.db") as sql:
        sql.execute("UPDATE last_runs SET finished_at = '2026-01-05 00:00:00.000000', troubles = ''")
        sql.execute("UPDATE cursors SET at = '2100-01-01 00:00:00.000000'")
    space = namedtuple("space", "free")(10 * 2**20)  # noqa: PYI024
    monkeypatch.setattr("stratawatch.cli.doctor_findings.shutil.disk_usage", lambda folder: space)
    lines = found(fresh, code=1)
    facts = {
        "channel ops": "OPS_HOOK is not set",
        "server": "does not answer",
        "schedule": "3 were due since",
        "queue": "has the mark of another installation",
        "clock": "before the store's newest commit",
        "disk of store": "0.0 GB free",
    }
    for part, fact in facts.items():
        assert lines[part]["state"] == "trouble"
        assert fact in lines[part]["fact"]
    assert lines["store"]["state"] == "ok"


def test_a_configuration_or_a_store_that_cannot_be_read_is_a_trouble(fresh):
    (fresh.folder / "stratawatch.db").unlink()
    assert "stratawatch init" in found(fresh, code=1)["store"]["fact"]
    fresh.config.write_text("[panels")
    assert found(fresh, code=1)["configuration"]["state"] == "trouble"


def test_an_error_that_nobody_foresaw_is_the_trouble_of_its_part(fresh, monkeypatch):
    """A folder that may not be looked into, say: the other parts are still looked at."""
    monkeypatch.setattr("stratawatch.cli.doctor_findings._disks", Mock(side_effect=PermissionError(13, "denied", "q")))
    lines = found(fresh, code=1)
    assert lines["disk"]["state"] == "trouble"
    assert "PermissionError: [Errno 13] denied: 'q'" in lines["disk"]["fact"]
    assert lines["store"]["state"] == "ok"
