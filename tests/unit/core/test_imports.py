"""The command line reads cycles without estimating anything: it must not pay for SciPy."""

import subprocess
import sys


def test_the_design_can_be_imported_without_scipy():
    code = "import sys, stratawatch.core.designs.frozen, stratawatch.core.alarms.judge; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
