"""Keys of a connection to PostgreSQL become options of its address."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems
from stratawatch.config.store_address import read_store_address
from stratawatch.settings.connection_options import local_settings, with_options, without_own
from tests.support.configurations import RIGHT, changed

STORE = 'url = "sqlite:///stratawatch.db"'
SERVER = 'url = "postgresql://watch@db.example.org/sw?sslmode=prefer&application_name=a b"'


def written(folder, text):
    path = folder / "stratawatch.toml"
    path.write_text(text)
    return path


def options(path):
    return dict(parse_qsl(urlsplit(load_configuration(path).store_url().get_secret_value()).query))


def test_every_key_of_the_store_arrives(tmp_path):
    keys = """
schema = "watch"
sslmode = "verify-full"
sslrootcert = "ca.pem"
lock_timeout = "2s"
statement_timeout = "1m"
keepalive = "30s"
"""
    path = written(tmp_path, changed(RIGHT, (STORE, SERVER + keys)))
    assert options(path) == {
        "application_name": "a b",
        "sslmode": "verify-full",
        "sslrootcert": str(tmp_path / "ca.pem"),
        "keepalives_idle": "30",
        "stratawatch_schema": "watch",
        "stratawatch_lock_timeout": "2000",
        "stratawatch_statement_timeout": "60000",
    }
    assert read_store_address(path) is None  # `status` asks the whole file


def test_the_systems_certificates_have_a_word(tmp_path):
    path = written(tmp_path, changed(RIGHT, (STORE, SERVER + '\nsslrootcert = "system"')))
    assert options(path)["sslrootcert"] == "system"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (STORE + '\nschema = "watch"', "'schema' is for a store on PostgreSQL"),
        (STORE + '\nstatement_timeout = "1m"', "'statement_timeout' is for a store on PostgreSQL"),
        (SERVER + '\nsslrootcert = "../ca.pem"', "'sslrootcert' leads out of the folder"),
        (SERVER + '\nsslmode = "verify"', "sslmode"),
        (SERVER + '\nlock_timeout = "3d"', "lock_timeout"),
    ],
)
def test_what_cannot_be_is_a_sentence(tmp_path, lines, said):
    with pytest.raises(ConfigProblems, match=said):
        load_configuration(written(tmp_path, changed(RIGHT, (STORE, lines))))


def test_own_options_are_taken_out_and_quoted():
    url = with_options("postgresql://me@db/x?sslmode=require", {"stratawatch_schema": 'a"b'})
    address, own = without_own(url)
    assert address == "postgresql://me@db/x?sslmode=require"
    assert local_settings(own) == ['SET LOCAL search_path = "a""b"']
