"""Numbers for Prometheus: whatever people call their classifiers, the text can be read again."""

from prometheus_client.parser import text_string_to_metric_families

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
    found = samples(document(), "1.2", shadows={(ODD, ODD)})
    (info,) = [one["labels"] for one in found if one["name"] == "stratawatch_classifier_info"]
    assert (info["classifier"], info["shadow"], info["score_kind"]) == (ODD, "yes", "none")


def test_batches_that_the_queue_does_not_hold_are_not_waited_for():
    at = {"panel": ODD, "waiting_since": None}
    batches = [{**at, "state": "sent", "away": "lost"}, {**at, "state": "failed", "away": None}]
    found = {one["name"]: one["value"] for one in samples(document(batches=batches), "1.2")}
    assert found["stratawatch_unanswered_batches"] == 0
    assert found["stratawatch_failed_batches"] == 1
