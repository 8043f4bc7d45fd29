"""The rules for alarms that are compared, by name, at a promise of one false page a panel-year."""

from benchmarks.alarms.control_charts import cusum_rule, false_discovery_rule, three_deviations_rule
from benchmarks.alarms.panel_years import WEEKS_A_YEAR, Rule, evidence_rule, window_rule
from stratawatch.core.alarms.evidence.e_detector import page_threshold
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.tuning import EVIDENCE

OURS, UNFOCUSED = "ours", "ours without focus"
EVIDENCE_PART, WINDOW_PART = "evidence alone, without focus", "ours: one window alone, .2 F"
FALLBACK, ADR_6 = "ours where items stay: one window, .7 F", "one window (ADR 6)"
CONTROL, IN_A_ROW = "95% interval", "95% interval, two in a row"
CUSUM, FALSE_DISCOVERY, DEVIATIONS = "CUSUM", "Benjamini-Hochberg, 5%", "mean less 3 sd"


def rules_of(streams: int) -> dict[str, Rule]:
    """All rules for a panel with so many streams."""
    beside, instead, whole = _confidences(streams)
    threshold = page_threshold(streams, WEEKS_A_YEAR, 1.0)
    return {
        OURS: evidence_rule(threshold, beside, follow=True),
        UNFOCUSED: evidence_rule(threshold, beside),
        EVIDENCE_PART: evidence_rule(threshold, None),
        WINDOW_PART: window_rule(beside),
        FALLBACK: window_rule(instead),
        ADR_6: window_rule(whole),
        CONTROL: window_rule(0.95),
        IN_A_ROW: window_rule(0.95, in_a_row=2),
        CUSUM: cusum_rule(streams),
        FALSE_DISCOVERY: false_discovery_rule(streams),
        DEVIATIONS: three_deviations_rule(),
    }


def confidences_of(streams: int) -> list[float]:
    """The confidences that the rules ask for."""
    return [0.95, *_confidences(streams)]


def _confidences(streams: int) -> tuple[float, float, float]:
    """One window beside evidence, instead of it, and with the whole promise."""
    shares = (1 - EVIDENCE.evidence_share, EVIDENCE.window_share, 1.0)
    beside, instead, whole = (page_confidence(streams, WEEKS_A_YEAR, part) for part in shares)
    return beside, instead, whole
