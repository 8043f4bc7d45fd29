"""An error that nobody foresaw is one sentence and a status of its own."""

import errno
import sys

import pytest

from stratawatch.cli import main
from stratawatch.errors import StratawatchError
from stratawatch.settings.revealed_secrets import remember_secret
from tests.support.programs import run


@pytest.fixture
def broken(monkeypatch, capsys):
    """Run `estimates` while it raises something; standard error and the exit status."""

    def run(trouble: BaseException, *options: str) -> tuple[str, int]:
        def fail(*_args, **_options):
            raise trouble

        monkeypatch.setattr("stratawatch.wiring.build", fail)
        monkeypatch.setattr(sys, "argv", ["stratawatch", "estimates", *options])
        with pytest.raises(SystemExit) as end:
            main()
        return capsys.readouterr().err, end.value.code

    return run


class TestABug:
    def test_it_is_one_sentence_that_names_it_and_its_place(self, broken):
        err, status = broken(KeyError("lr"))
        assert status == 3
        assert err.count("\n") == 1
        assert err.startswith(
            "stratawatch: this is a bug in stratawatch: KeyError at stratawatch/cli/estimates.py line "
        )
        assert "STRATAWATCH_DEBUG=1" in err

    def test_its_own_words_stay_out_because_they_may_quote_a_secret(self, broken):
        assert "hunter2" not in broken(ValueError("postgresql://me:hunter2@db/x"))[0]

    def test_what_the_system_says_is_told(self, broken):
        err, status = broken(OSError(errno.ENOSPC, "No space left on device", "x"))
        assert (status, "OSError (No space left on device)" in err) == (3, True)

    def test_the_traceback_is_for_whoever_asks(self, broken, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_DEBUG", "1")
        err, status = broken(KeyError("lr"))
        assert status == 3
        assert "Traceback (most recent call last)" in err
        assert err.splitlines()[-1].startswith("stratawatch: this is a bug in stratawatch: KeyError at ")

    def test_it_and_the_sentence_show_no_secret_that_was_looked_up(self, broken, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_DEBUG", "1")
        remember_secret("hunter2/x")
        trouble = ValueError("postgresql://me:hunter2%2Fx@db/x")
        trouble.__cause__ = KeyError("hunter2/x")
        err, _ = broken(trouble)
        assert (err.count("hunter2"), err.count("***")) == (0, 2)
        assert broken(StratawatchError("is 'hunter2/x' right?")) == ("stratawatch: is '***' right?\n", 2)

    def test_beside_json_an_error_is_the_same_sentence_without_secrets(self, broken):
        remember_secret("hunter2/x")
        assert broken(StratawatchError("no hunter2/x"), "--json") == ("stratawatch: no ***\n", 2)
        assert "hunter2" not in broken(ValueError("no hunter2/x"), "--json")[0]

    def test_a_library_that_ends_the_program_is_one_and_no_success(self, broken):
        err, status = broken(SystemExit(0))
        assert status == 3
        assert err.startswith("stratawatch: this is a bug in stratawatch: SystemExit at stratawatch/cli/estimates.py ")

    def test_a_library_that_ends_the_program_with_a_failure_is_let(self, broken):
        """A reader of a pipe that has seen enough, for one."""
        assert broken(SystemExit(1)) == ("", 1)

    def test_a_foreseen_error_is_none(self, broken):
        assert broken(StratawatchError("the disk is on fire")) == ("stratawatch: the disk is on fire\n", 2)


def test_the_installed_program_ends_with_the_sentence_too(tmp_path):
    code = (
        "import sys, stratawatch.cli.app as place\n"
        "def fail(**_): raise RuntimeError('x')\n"
        "place.app = fail\n"
        "from stratawatch.cli import main\n"
        "main()"
    )
    done = run("-c", code, cwd=tmp_path, status=3)
    assert done.stdout == ""
    assert done.stderr.startswith(
        "stratawatch: this is a bug in stratawatch: RuntimeError at stratawatch/cli/__init__.py"
    )
    assert "Traceback" not in done.stderr
