"""What others write of a secret is three stars, from the moment on at which it was looked up."""

from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy.exc import StatementError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.store import database
from stratawatch.engine.alarms.failures import describe
from stratawatch.settings.database_urls import store_url
from stratawatch.settings.references import resolve
from stratawatch.settings.revealed_secrets import hiding_secrets, remember_secret, without_secrets

HERE = Path()


class TestEverySecretThatIsLookedUp:
    def test_behind_a_reference(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TOKEN", "s3cr3t-a")
        (tmp_path / "token").write_text("s3cr3t-b\n", encoding="utf-8")
        resolve("${env:TOKEN}", tmp_path)
        resolve("${file:token}", tmp_path)
        assert without_secrets("a s3cr3t-a and s3cr3t-b") == "a *** and ***"

    def test_that_the_environment_brought_as_it_is(self):
        BuildContext(HERE).reveal(SecretStr("https://hooks.example.org/s3cr3t"))
        store_url(HERE, "postgresql://me@db/x", "s3cr3t password")
        assert without_secrets("https://hooks.example.org/s3cr3t s3cr3t%20password") == "*** ***"

    @pytest.mark.parametrize("url", ["postgresql://me:s3cr3t%21@db/x", "postgresql://me@db/x?password=s3cr3t%21"])
    def test_that_stands_in_an_address(self, url):
        store_url(HERE, url, None)
        assert without_secrets("password 's3cr3t!' is wrong") == "password '***' is wrong"

    def test_as_python_writes_it(self):
        remember_secret("s3cr3t\t'x")
        assert "s3cr3t" not in without_secrets(repr(["s3cr3t\t'x"]) + repr("s3cr3t\t'x"))

    def test_but_not_a_short_word_which_stands_everywhere(self):
        remember_secret("demo")
        assert without_secrets("a demo") == "a demo"


class TestErrors:
    def test_neither_their_words_nor_those_behind_them_show_it(self):
        remember_secret("s3cr3t")

        @hiding_secrets
        def fail():
            raise StatementError("no s3cr3t", "SELECT s3cr3t", {}, ValueError("s3cr3t")) from KeyError("s3cr3t")

        with pytest.raises(StatementError) as caught:
            fail()
        words = [str(caught.value), str(caught.value.orig), str(caught.value.__cause__)]
        assert "s3cr3t" not in "".join(words)
        assert all("***" in one for one in words)

    def test_what_the_store_keeps_of_one_and_alerts_tell_does_not_show_it(self):
        remember_secret("s3cr3t")
        assert describe(ValueError("at s3cr3t")) == "ValueError: at ***"

    @pytest.mark.parametrize("url", ["sqlite:///x.db", "postgresql://me@localhost/x"])
    def test_of_the_store_quote_no_labels_and_nothing_that_labellers_see(self, url):
        assert database.connect(database.store_url(url)).hide_parameters
