"""What was odd about a window's input stands beside its cycle, escaped like everything else."""

from stratawatch.report.page import panel_page
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, Memory, cycle, input_profile, spec

WARNED = input_profile(100_000, warnings=["the window has 100,000 rows, the window before 40,000", "<b>"])


def render(profile):
    memory = Memory(spec(), cycles=[cycle(0, profile=profile)])
    return panel_page(build(memory, memory.panel, NOW))


def test_every_warning_of_a_cycle_is_shown():
    page = render(WARNED)
    assert "<strong>Input:</strong> the window has 100,000 rows, the window before 40,000" in page
    assert "<strong>Input:</strong> &lt;b&gt;" in page


def test_a_cycle_without_any_says_nothing():
    assert "Input:</strong>" not in render(input_profile(100_000))
