"""The command line reads cycles without estimating anything: it must not pay for SciPy."""

from tests.support.programs import loaded


def test_the_design_can_be_imported_without_scipy():
    assert loaded("import stratawatch.core.designs.frozen, stratawatch.core.alarms.judge", ["scipy"]) == set()
