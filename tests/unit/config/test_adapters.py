"""An adapter is one file and one line: its settings are read from there, without the library that it needs."""

from typing import ClassVar, Literal

import pytest

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.sources import SourceSettings
from stratawatch.config.loading import load_configuration
from stratawatch.extras import EXTRAS
from stratawatch.wiring import queue
from tests.support.programs import loaded

PORTS = [ChannelSettings, QueueSettings, SourceSettings]
LOADING = """
from stratawatch.config.loading import load_configuration
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.sources import SourceSettings

load_configuration(sys.argv[1])
for port in (ChannelSettings, QueueSettings, SourceSettings):
    for kind in port.registry:
        port.of_kind(kind)
"""
CLIENTS = {name for names in EXTRAS.values() for name in names} - {"pydantic", "pydantic_settings", "cronsim"}


class Drawer:
    """A queue that nobody reads."""

    def __init__(self, place):
        self.place = place


class DrawerSettings(QueueSettings):
    """kind = "drawer"."""

    kind: Literal["drawer"]
    place: str
    registry_line: ClassVar = f"{__name__}:DrawerSettings"

    def local_paths(self):
        return (LocalPath("place", self.place),)

    def build(self, context: BuildContext):
        return Drawer(context.folder / self.place)


@pytest.mark.parametrize("port", PORTS)
def test_every_kind_has_settings_of_its_port_that_name_it(port):
    for kind in port.registry:
        settings = port.of_kind(kind)
        assert issubclass(settings, port)
        assert settings.model_fields["kind"].annotation == Literal[kind]
        assert settings.build is not port.build


def test_settings_of_every_kind_are_read_without_a_client_library(write):
    assert loaded(LOADING, CLIENTS, write()) == set()


class TestANewKind:
    """One file and one line in the registry: the configuration, its rules and the wiring need nothing else."""

    @pytest.fixture(autouse=True)
    def _registered(self, monkeypatch):
        monkeypatch.setitem(QueueSettings.registry, "drawer", DrawerSettings.registry_line)

    def test_is_read_and_built(self, write, tmp_path):
        configuration = load_configuration(write(('root = "queue"', 'kind = "drawer"\nplace = "desk"')))
        assert queue(configuration).place == tmp_path / "desk"

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('place = "../desk"', "queue.place, line 6: 'place' leads out of the folder of the configuration"),
            ('place = "."', "queue.place, line 6: the queue needs a folder of its own"),
            ("place = 3", "queue.place, line 6: 'place' has the wrong type; expected text in quotes"),
            ('plaec = "desk"', "queue.plaec, line 6: there is no key 'plaec'; did you mean 'place'?"),
        ],
    )
    def test_has_its_mistakes_told(self, problems, line, said):
        assert any(text.startswith(said) for text in problems(('root = "queue"', f'kind = "drawer"\n{line}')))

    def test_is_named_where_another_is_misspelt(self, problem):
        assert "or drawer; got drawre; did you mean 'drawer'?" in problem(('root = "queue"', 'kind = "drawre"'))

    def test_leaves_files_without_a_kind_as_they_are(self, write):
        assert load_configuration(write()).settings.queue.kind == QueueSettings.default_kind
