"""Configuration becomes ports; nothing is built before it is used."""

from datetime import UTC, datetime

import duckdb
import pytest

from stratawatch.adapters.store import SqlStore
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.ports.clock import FixedClock, SystemClock
from stratawatch.errors import ConfigError, SchemaMismatch
from stratawatch.wiring import build
from tests.support.configurations import RIGHT
from tests.support.programs import loaded

HOOK = '[[alerts]]\nkind = "console"\n[[alerts]]\nkind = "webhook"\nname = "ops"\nurl = "${env:OPS_HOOK}"\n'

ROW = (
    "SELECT 'a' AS id, TIMESTAMP '2026-01-06' AS \"at\", 'x' AS \"text\", 'DE' AS country, "
    "0.5 AS score_lr, 1 AS pred_lr, 0.5 AS score_rf"
)


def size(built) -> int:
    """How many items the source finds in the week of the one row."""
    window = Window(datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 12, tzinfo=UTC))
    return built.ports.sources["spam"].census(built.panels["spam"], window).census.size


@pytest.fixture
def configuration_file(write, tmp_path):
    SqlStore(f"sqlite:///{tmp_path}/stratawatch.db", create=True)
    return write


class TestBuild:
    def test_it_wires_every_port(self, configuration_file, tmp_path):
        built = build(configuration_file())
        assert isinstance(built.ports.clock, SystemClock)
        assert list(built.ports.sources) == ["spam"]
        assert type(built.ports.sources["spam"]).__name__ == "FilesSource"
        assert built.ports.queue.describe()["folder"] == f"{tmp_path}/queue"
        assert built.panels["spam"].budget == 120
        assert built.report_folder == tmp_path / "reports"

    def test_it_knows_where_notifications_lead(self, configuration_file):
        plain = configuration_file()
        assert build(plain).ports.links_of("spam").facts == build(plain).ports.links_of("other").facts == {}
        said = 'budget = 120\nowner = "spam team"\nrunbook = "https://wiki.example.org/spam"'
        more = '[report]\nurl = "https://reports.example.org/watch/"\n[web]\nurl = "https://watch.example.org/"\n'
        assert build(configuration_file(("budget = 120", said), more=more)).ports.links_of("spam").facts == {
            "owner": "spam team",
            "runbook": "https://wiki.example.org/spam",
            "report_url": "https://reports.example.org/watch/spam/latest.html",
            "dashboard_url": "https://watch.example.org/dashboard/panels/spam",
        }

    def test_they_make_no_new_version_of_a_panel(self, configuration_file):
        plain = build(configuration_file()).panels["spam"]
        assert build(configuration_file(("budget = 120", 'budget = 120\nowner = "spam team"'))).panels["spam"] == plain

    def test_now_stops_the_clock(self, configuration_file):
        moment = datetime(2026, 3, 1, tzinfo=UTC)
        assert build(configuration_file(), moment).ports.clock == FixedClock(moment)

    def test_channels_are_known_by_name(self, configuration_file, monkeypatch):
        monkeypatch.setenv("OPS_HOOK", "https://hooks.example.org/x")
        channels = build(configuration_file(more=HOOK)).ports.channels
        assert list(channels) == ["console", "ops"]
        assert channels["ops"].name == "ops"
        assert channels["ops"] is channels["ops"]

    def test_a_missing_secret_is_the_trouble_of_its_channel_alone(self, configuration_file):
        channels = build(configuration_file(more=HOOK)).ports.channels
        assert list(channels) == ["console", "ops"]
        assert "ops" in channels
        assert "pager" not in channels
        assert channels["console"].name == "console"
        with pytest.raises(ConfigError, match="the environment variable OPS_HOOK is not set"):
            channels.get("ops")

    def test_a_store_that_is_not_there_is_told_with_the_remedy(self, write):
        with pytest.raises(SchemaMismatch, match="stratawatch init"):
            build(write())

    @pytest.mark.parametrize("linked", ["file", "folder"])
    def test_a_link_out_of_the_folder_is_read_only_where_outside_is_allowed(self, tmp_path, linked):
        home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
        (home / "predictions" / "week").mkdir(parents=True)
        elsewhere.mkdir()
        duckdb.sql(ROW).write_parquet(str(elsewhere / "w.parquet"))
        if linked == "file":
            (home / "predictions" / "week" / "w.parquet").symlink_to(elsewhere / "w.parquet")
        else:
            (home / "predictions" / "linked").symlink_to(elsewhere)
        path = home / "stratawatch.toml"
        path.write_text(RIGHT.replace("predictions/*.parquet", "predictions/*/*.parquet"))
        SqlStore(f"sqlite:///{home}/stratawatch.db", create=True)
        with pytest.raises(ConfigError, match="behind a link that leads out of the folder of the configuration"):
            size(build(path))
        path.write_text(path.read_text().replace('kind = "files"', 'kind = "files"\nallow_outside = true'))
        assert size(build(path)) == 1

    def test_special_characters_of_the_folder_stand_for_themselves(self, tmp_path, write):
        odd = tmp_path / "we[i]rd"
        (odd / "predictions").mkdir(parents=True)
        path = write().rename(odd / "stratawatch.toml")
        SqlStore(f"sqlite:///{odd}/stratawatch.db", create=True)
        duckdb.sql(ROW).write_parquet(str(odd / "predictions" / "w.parquet"))
        assert size(build(path)) == 1


def test_building_loads_no_heavy_library(configuration_file):
    """Commands that only read the store must not wait for DuckDB or Great Expectations."""
    heavy = ["duckdb", "great_expectations", "pandas", "scipy", "sklearn", "matplotlib", "prefect", "httpx", "alembic"]
    assert loaded("from stratawatch.wiring import build; build(sys.argv[1])", heavy, configuration_file()) == set()
