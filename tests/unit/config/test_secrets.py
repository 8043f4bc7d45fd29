"""Secrets are references in the file, looked up when needed, and never shown."""

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems
from stratawatch.errors import ConfigError
from stratawatch.settings.references import resolve

HOOK = '[[alerts]]\nkind = "webhook"\nurl = "${env:OPS_HOOK}"\nheaders = { Authorization = "${file:token}" }\n'


class TestReferences:
    def test_an_environment_variable_is_looked_up(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HUSH", "s3cret")
        assert resolve("${env:HUSH}", tmp_path) == "s3cret"

    def test_a_file_is_read_without_its_last_line_end(self, tmp_path):
        (tmp_path / "token").write_text("s3cret\n")
        assert resolve("${file:token}", tmp_path) == "s3cret"

    def test_a_variable_that_is_not_set_is_told_by_name(self, tmp_path):
        with pytest.raises(ConfigError, match="the environment variable NOT_THERE_AT_ALL is not set"):
            resolve("${env:NOT_THERE_AT_ALL}", tmp_path)

    def test_a_file_that_is_not_there_is_told(self, tmp_path):
        with pytest.raises(ConfigError, match=r"behind \$\{file:nope\} cannot be read; got No such file"):
            resolve("${file:nope}", tmp_path)

    def test_an_empty_secret_is_none(self, tmp_path):
        (tmp_path / "token").write_text("\n")
        with pytest.raises(ConfigError, match="is empty"):
            resolve("${file:token}", tmp_path)


class TestChannels:
    def test_their_secrets_are_revealed_on_demand(self, write, monkeypatch, tmp_path):
        monkeypatch.setenv("OPS_HOOK", "https://hooks.example.org/T0")
        (tmp_path / "token").write_text("Bearer x")
        configuration = load_configuration(write(more=HOOK))
        (alert,) = configuration.settings.alerts
        assert configuration.context.reveal(alert.url).get_secret_value() == "https://hooks.example.org/T0"
        assert configuration.secret_problems() == []

    def test_every_reference_that_leads_nowhere_is_told_with_its_line(self, write):
        found = [str(problem) for problem in load_configuration(write(more=HOOK)).secret_problems()]
        assert found[0].startswith("alerts[1].url, line 46: the environment variable OPS_HOOK is not set")
        assert found[1].startswith("alerts[1].headers.Authorization, line 47: the secret file behind")

    @pytest.mark.parametrize(
        ("old", "new"), [("${env:OPS_HOOK}", "https://hooks.example.org/hunter2"), ("${file:token}", "Bearer hunter2")]
    )
    def test_a_secret_written_into_the_file_is_refused_and_not_repeated(self, write, old, new):
        with pytest.raises(ConfigProblems, match="is a secret written into the file; write") as caught:
            load_configuration(write(more=HOOK.replace(old, new)))
        assert "hunter2" not in str(caught.value)

    def test_a_reference_with_something_around_it_is_a_secret_in_the_file(self, write):
        with pytest.raises(ConfigProblems, match="is a secret written into the file"):
            load_configuration(write(more=HOOK.replace("${file:token}", "Bearer ${file:token}")))

    def test_nothing_of_them_shows_in_the_settings(self, write, monkeypatch):
        monkeypatch.setenv("OPS_HOOK", "https://hunter2")
        assert "hunter2" not in repr(load_configuration(write(more=HOOK)))


class TestStore:
    POSTGRES = 'url = "postgresql+psycopg://watch@db.example.org:5432/sw?sslmode=require"'

    def test_its_password_is_put_into_the_address_it_connects_to(self, write, monkeypatch):
        monkeypatch.setenv("PGPW", "p@ss/word")
        path = write(('url = "sqlite:///stratawatch.db"', f'{self.POSTGRES}\npassword = "${{env:PGPW}}"'))
        url = load_configuration(path).store_url()
        assert (
            url.get_secret_value() == "postgresql+psycopg://watch:p%40ss%2Fword@db.example.org:5432/sw?sslmode=require"
        )
        assert "p%40ss" not in repr(url)

    @pytest.mark.parametrize(
        "url",
        [
            "postgresql://me:hunter2@db/x",
            "postgresql://me@db/x?password=hunter2",
            "postgresql+psycopg://me@db/x?sslmode=require&password=hunter2",
            "postgresql://me@db/x?pass%77ord=hunter2",
            "postgresql://me@db/x?sslpassword=hunter2",
        ],
    )
    def test_a_password_in_the_address_is_refused_and_not_repeated(self, write, url):
        path = write(('url = "sqlite:///stratawatch.db"', f'url = "{url}"'))
        with pytest.raises(ConfigProblems, match="has a password written into the file") as caught:
            load_configuration(path)
        assert "hunter2" not in str(caught.value)

    def test_the_whole_address_may_be_a_reference(self, write, monkeypatch):
        monkeypatch.setenv("SW_URL", "postgresql://me:hunter2@db/x")
        configuration = load_configuration(write(('"sqlite:///stratawatch.db"', '"${env:SW_URL}"')))
        assert configuration.store_url().get_secret_value() == "postgresql+psycopg://me:hunter2@db/x"

    def test_a_whole_address_that_is_none_is_told_without_showing_it(self, write, monkeypatch):
        monkeypatch.setenv("SW_URL", "hunter2")
        configuration = load_configuration(write(('"sqlite:///stratawatch.db"', '"${env:SW_URL}"')))
        with pytest.raises(ConfigError, match="no address of a store") as caught:
            configuration.store_url()
        assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize("url", ["mysql://x/y", "postgresql://host", "stratawatch.db", "http://["])
    def test_what_is_no_store_is_refused(self, problems, url):
        assert any("is no address of a store" in text for text in problems(("sqlite:///stratawatch.db", url)))

    def test_a_store_in_memory_is_refused(self, problems):
        assert any(
            "forgets everything" in text for text in problems(("sqlite:///stratawatch.db", "sqlite:///:memory:"))
        )

    def test_an_sqlite_file_has_no_password(self, problems):
        assert any("has no password" in text for text in problems(("[queue]", 'password = "${env:X}"\n[queue]')))
