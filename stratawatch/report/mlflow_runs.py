"""Estimates as runs of MLflow: one for each classifier, window and revision."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from hashlib import sha256
from typing import Final

from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.engine.model.alarm_records import StreamState
from stratawatch.engine.model.cycle_facts import Cycle, Revision
from stratawatch.engine.model.mlflow_run import KEY, PANEL, MlflowRun, RunMetric

LONGEST_TAG: Final = 4000
LONGEST_NAME: Final = 200
"""MLflow takes 250 characters; ends of intervals are named by a few more."""
# MLflow takes letters, digits and these in names, and slashes where they make a path; others would be refused.
_STRANGE: Final = re.compile(r"[^A-Za-z0-9_. -]")


def runs_of(cycle: Cycle, revision: Revision, states: Iterable[StreamState]) -> Iterator[MlflowRun]:
    """The runs of a revision, one for each classifier, in the order of its estimates."""
    judged = {(one.key.classifier, one.key.metric, one.key.segment): one.state.value for one in states}
    for classifier in dict.fromkeys(one.classifier for one in revision.estimates):
        mine = [one for one in revision.estimates if one.classifier == classifier]
        yield _run(cycle, revision, classifier, mine, judged)


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Names that MLflow takes, different ones for different names.

    >>> plain_names(["precision", "précision", "pr_cision"])
    {'pr_cision': 'pr_cision', 'precision': 'precision', 'précision': 'pr_cision_2'}
    """
    found: dict[str, str] = {}
    taken = set[str]()
    ordered = sorted(set(names), key=lambda name: (_plain(name) != name, name))
    for name in ordered:  # those that stay as they are come first
        plain, number = _plain(name), 1
        while plain in taken:
            number += 1
            plain = f"{_plain(name)}_{number}"
        taken.add(plain)
        found[name] = plain
    return found


def _plain(name: str) -> str:
    plain = _STRANGE.sub("_", name)[:LONGEST_NAME]
    return plain if plain.strip(". ") else f"_{plain}"  # a dot alone would be a path


def _in_parts(tag: str, values: Mapping[str, str]) -> dict[str, str]:
    """Values as JSON, in as many tags as it takes: one that is cut would be none."""
    parts: list[dict[str, str]] = [{}]
    for name, value in values.items():
        if len(json.dumps({**parts[-1], name: value})) > LONGEST_TAG and parts[-1]:
            parts.append({})
        parts[-1][name] = value
    tags = {f"{tag}.{number}" if number > 1 else tag: part for number, part in enumerate(parts, 1)}
    return {name: json.dumps(part, ensure_ascii=False) for name, part in tags.items() if part}


def _run(
    cycle: Cycle,
    revision: Revision,
    classifier: str,
    estimates: Sequence[Estimate],
    judged: dict[tuple[str, str, str | None], str],
) -> MlflowRun:
    told = {_name(one): one for one in estimates}
    plain = plain_names(told)
    metrics = [
        RunMetric(f"{plain[name]}{end}", value, cycle.window.end, max(cycle.period, 0))
        for name, one in told.items()
        if isinstance(one.result, IntervalEstimate)
        for end, value in (
            ("", one.result.value),
            (".low", one.result.low),
            (".high", one.result.high),
            (".labels", float(one.labels_used)),
        )
    ]
    states = {
        plain[_name(one)]: state
        for one in estimates
        if (state := judged.get((classifier, one.metric, str(one.segment) if one.segment else None)))
    }
    undefined = [plain[name] for name, one in told.items() if not isinstance(one.result, IntervalEstimate)]
    renamed = {new: old for old, new in plain.items() if new != old}
    window = cycle.window
    identity = [cycle.panel, classifier, window.start, window.end, cycle.id, revision.number, revision.fingerprint]
    key = sha256(json.dumps([str(part) for part in identity]).encode()).hexdigest()
    tags = {
        KEY: key,
        PANEL: cycle.panel,
        "stratawatch.classifier": classifier,
        "stratawatch.window_start": window.start.isoformat(),
        "stratawatch.window_end": window.end.isoformat(),
        "stratawatch.cycle": str(cycle.id),
        "stratawatch.revision": str(revision.number),
        "stratawatch.confidence": str(estimates[0].confidence),
        "stratawatch.method": ", ".join(sorted({one.method for one in estimates})),
        **_in_parts("stratawatch.states", states),
        **({"stratawatch.undefined": ", ".join(undefined)} if undefined else {}),
        **_in_parts("stratawatch.names", renamed),
    }
    name = f"{cycle.panel}/{classifier} {window.start:%Y-%m-%d}"
    short = {tag: value if value.startswith("{") else value[:LONGEST_TAG] for tag, value in tags.items() if value}
    return MlflowRun(key, name, cycle.panel, short, tuple(metrics), window.start, revision.at.astimezone(UTC))


def _name(one: Estimate) -> str:
    """A metric's name, with its segment where it is of one."""
    return f"{one.metric}.{one.segment}" if one.segment else one.metric
