"""Numbers for Prometheus: whatever people call their classifiers, the text can be read again."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from stratawatch.engine.model.pauses import Pauses
from stratawatch.report.prometheus_text import prometheus_text, samples

ODD = 'é "quoted" \\ back\nline {a="b"} 1'


def document(classifier=ODD, **changes):
    spec = {
        "classifiers": [{"name": classifier, "score": None, "score_kind": "probability", "cut_off": None}],
        "limits": [],
    }
    stream = {"panel": ODD, "classifier": classifier, "metric": "recall", "segment": None}
    return {
        "panels": [{"panel": ODD, "configured": True, "newest_window_end": None}],
        "specs": [{"panel": ODD, "spec": spec}],
        "estimates": [
            {**stream, "value": 0.5, "low": 0.4, "high": 0.6, "n_eff": None, "confidence": 0.95, "labels_used": 9}
            | {"state": None, "window_end": None, "estimated_at": None}
        ],
        "streams": [],
        "cycles": [],
        "refused": [],
        "batches": [],
        "waiting_labels": {"labels": 0},
        "set_aside": [],
        "incidents": [],
        "undelivered": [],
        "last_advance": None,
        **changes,
    }


def test_names_of_people_come_back_as_they_are():
    families = {family.name: family for family in text_string_to_metric_families(prometheus_text(document(), "1.2"))}
    (one,) = families["stratawatch_estimate_ratio"].samples
    assert one.labels == {"panel": ODD, "classifier": ODD, "metric": "recall", "segment": ""}
    assert one.value == 0.5


def test_a_shadow_is_named():
    found = samples(document(), "1.2", Pauses(shadows=frozenset({(ODD, ODD)})))
    (info,) = [one["labels"] for one in found if one["name"] == "stratawatch_classifier_info"]
    assert (info["classifier"], info["shadow"], info["score_kind"]) == (ODD, "yes", "none")


def test_batches_that_the_queue_does_not_hold_are_not_waited_for():
    at = {"panel": ODD, "waiting_since": None}
    batches = [{**at, "state": "sent", "away": "lost"}, {**at, "state": "failed", "away": None}]
    found = {one["name"]: one["value"] for one in samples(document(batches=batches), "1.2")}
    assert found["stratawatch_unanswered_batches"] == 0
    assert found["stratawatch_failed_batches"] == 1


@pytest.mark.parametrize("paused", [Pauses(panels=frozenset({ODD})), Pauses(classifiers=frozenset({(ODD, ODD)}))])
def test_what_is_paused_has_estimates_and_no_state(paused):
    stream = {
        "panel": ODD,
        "classifier": ODD,
        "metric": "recall",
        "segment": None,
        "state": "BREACH",
        "judged_at": None,
    }
    names = [one["name"] for one in samples(document(streams=[stream]), "1.2")]
    assert names.count("stratawatch_state") == 5
    left = [one["name"] for one in samples(document(streams=[stream]), "1.2", paused)]
    assert "stratawatch_state" not in left
    assert "stratawatch_estimate_ratio" in left
