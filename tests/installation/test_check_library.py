"""Great Expectations is imported by programs of every kind; a process of its own takes seconds to do that."""

from tests.support.programs import run


def test_it_does_not_end_a_program_without_a_main_file():
    """Where PySpark is installed, its remote client would: it takes `python -c` for a doctest."""
    code = "from stratawatch.adapters.checks.gx_runner import library; library(); print('goes on')"
    done = run("-c", code)
    assert (done.stdout, done.stderr) == ("goes on\n", "")
