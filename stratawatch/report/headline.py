"""What needs attention first, in one sentence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from stratawatch.core.alarms.alarm_states import MEANINGS, URGENCY, AlarmState
from stratawatch.core.metrics import METRICS
from stratawatch.engine.alarms.notifications import News, first_step
from stratawatch.engine.alarms.stream_words import state_lines
from stratawatch.engine.model.alarm_records import Incident, StreamKey
from stratawatch.engine.model.cycle_commands import cycle_command
from stratawatch.engine.model.states import CycleState
from stratawatch.formatting import capitalised, count, count_text, estimate_text
from stratawatch.report.report_data import CycleData, ReportData
from stratawatch.report.view_models import Headline, NamedLine, Score
from stratawatch.report.wording import metric_words, span

_FIRST: Final = ("Now", "Since", "Still on", "Sure", "Harm", "Cost")
"""Lines on a breach that come before what is to be done, in this order; the others come after it."""


def headline(facts: ReportData, overall: Sequence[Score], segments: Sequence[Score]) -> Headline:
    """The most urgent finding first: breaches, then BLIND streams, then risks, else that nothing needs attention."""
    newest, scores = facts.newest, [*overall, *segments]
    details = tuple(_details(facts, scores))
    if facts.run_again is not None:
        return Headline(_state_meanwhile(facts, facts.run_again), _said_meanwhile(facts.run_again), details)
    if newest is None:
        return Headline(None, _nothing_yet(facts), details)
    if newest.cycle.state == CycleState.REFUSED:
        said = f"Nothing can be estimated of the newest window: its input was refused ({newest.cycle.reason})."
        return Headline(AlarmState.BLIND, said, details)
    ranked = sorted((s for s in scores if s.state), key=lambda s: URGENCY.index(s.state or AlarmState.OK))
    if not ranked:
        said = "Everything was estimated; no metric has a limit, so nothing can be out of bounds."
        return Headline(None, said, details)
    worst = ranked[0].state or AlarmState.OK
    alike = [score for score in ranked if score.state == worst]
    if worst == AlarmState.BREACH and (broken := _broken(facts, alike, details)):
        return broken
    where = tuple(line for score in alike if (line := _worst_segment(score, segments)))
    return Headline(worst, _sentence(worst, alike, len(ranked)), (*where, *details))


def _broken(facts: ReportData, alike: Sequence[Score], details: Sequence[str]) -> Headline | None:
    """Breaches in the words of their reminders, what can wait apart; None where one has no such words."""
    several = [facts.breaches.get(_key(facts, score), News()) for score in alike]
    if not all(news.subject for news in several):
        return None
    proofs = tuple(f"Proof: {score.name} {score.reason.rstrip('.')}." for score in alike)
    harm, more_wrong = tuple(news.harm for news in several if news.harm), _once_each(alike, several)
    if len(several) == 1:
        (news,) = several
        key = _key(facts, alike[0])
        said, deeper = _subject(news), (*news.more, *proofs)
        lines = [NamedLine.of(line) for line in news.lines]
        told = [*sorted((one for one in lines if one.name in _FIRST), key=_place), *_to_do(facts, key)]
        further = [*_others(facts, key), *(one for one in lines if one.name not in _FIRST)]
    else:
        said, deeper = _sentence(AlarmState.BREACH, alike, 0), proofs
        told, further = [NamedLine("", _subject(news)) for news in several], []
    known = [*_open_line(facts, 2), *_progress_lines(facts)] if len(several) == 1 else details
    shown = tuple(told), tuple(further), deeper
    return Headline(AlarmState.BREACH, said, tuple(known), *shown, harm, more_wrong)


def _place(line: NamedLine) -> int:
    return _FIRST.index(line.name)


def _once_each(alike: Sequence[Score], several: Sequence[News]) -> float:
    """Wrong calls beyond the usual: a classifier's flags, and its misses, once however many limits they break."""
    found: dict[tuple[str, bool], float] = {}
    for score, news in zip(alike, several, strict=True):
        kind = score.classifier, score.metric in ("precision", "specificity")
        found[kind] = max(found.get(kind, 0.0), news.more_wrong)
    return sum(found.values())


def _subject(news: News) -> str:
    """What is wrong, as a sentence, and whether this window looks as if it were over."""
    return f"{news.subject}{'; inside again so far, not proven yet' if news.looks_over else ''}."


def _others(facts: ReportData, key: StreamKey) -> Iterator[NamedLine]:
    """How the panel's other metrics are."""
    if facts.newest is not None:
        lines = state_lines({one: said.state for one, said in facts.newest.states.items()}, key)
        yield NamedLine("Others", " ".join(lines) or "there is no other limit.")


def _to_do(facts: ReportData, key: StreamKey) -> Iterator[NamedLine]:
    """What to do first about an open breach, and who looks after it."""
    for one in facts.incidents:
        if one.key == key and one.kind == AlarmState.BREACH and one.resolved_at is None:
            may_be_older = facts.breaches.get(key, News()).may_be_older
            step = first_step(key, one.since, may_be_older=may_be_older)
            if one.acknowledged_at is None:
                yield NamedLine("Do first", "acknowledge it, nobody has yet", f"stratawatch alerts ack {one.id}")
                yield NamedLine("Then", step)
            else:
                yield NamedLine("Do", step)
                yield NamedLine("Who", f"{one.acknowledged_by} looks after it since {one.acknowledged_at:%Y-%m-%d}.")


def _key(facts: ReportData, score: Score) -> StreamKey:
    return StreamKey(facts.spec.name, score.classifier, score.metric, score.segment)


def _state_meanwhile(facts: ReportData, again: CycleData) -> AlarmState:
    """The most urgent of what is open, and that nothing is known of a window whose rerun was cancelled."""
    nothing = AlarmState.BLIND if again.cycle.state == CycleState.CANCELLED else AlarmState.UNPROVEN
    still = (incident.kind for incident in facts.incidents if incident.resolved_at is None)
    return min((nothing, *still), key=URGENCY.index)


def _said_meanwhile(again: CycleData) -> str:
    cycle = again.cycle
    if cycle.state == CycleState.CANCELLED:
        remedy = f"`{cycle_command('rerun', cycle.id)}` reads it again"
        return f"Nothing holds of the newest window: its rerun, cycle {cycle.id}, was cancelled; {remedy}."
    return f"The newest window is run again: nothing holds of it until cycle {cycle.id} is judged."


def _sentence(state: AlarmState, alike: Sequence[Score], judged: int) -> str:
    if state == AlarmState.OK:
        return f"Nothing needs attention: {_all_of(judged)} inside {'its limit' if judged == 1 else 'their limits'}."
    if state == AlarmState.UNPROVEN:
        number = f"{count(len(alike))} of {count_text(judged, 'metric')} {'is' if len(alike) == 1 else 'are'}"
        return f"Nothing is outside its limit; {number} {MEANINGS[state]}: {_names(alike)}."
    first = f"{capitalised(alike[0].name)}: {alike[0].reason.rstrip('.')}."
    if len(alike) == 1:
        return first
    lead = {
        AlarmState.BREACH: "metrics are outside their limits, paged",
        AlarmState.BLIND: "metrics cannot be seen",
        AlarmState.AT_RISK: "metrics are outside their limits so far, not proven",
    }[state]
    return f"{len(alike)} {lead}: {_names(alike)}."


def _names(alike: Sequence[Score]) -> str:
    """The first few by name."""
    more = f"; {len(alike) - 4} more" if len(alike) > 4 else ""
    return "; ".join(score.name for score in alike[:4]) + more


def _worst_segment(score: Score, segments: Sequence[Score]) -> str:
    """The segment where a metric at risk or in breach is worst, if its interval lies beyond the overall value."""
    whole, limit = score.estimate, score.limit
    if whole is None or limit is None or score.segment or score.state not in (AlarmState.BREACH, AlarmState.AT_RISK):
        return ""
    alike = [s for s in segments if (s.classifier, s.metric) == (score.classifier, score.metric)]
    defined = [(estimate, s.segment) for s in alike if (estimate := s.estimate)]
    is_floor = not (score.metric in METRICS and METRICS[score.metric].lower_is_better)
    beyond = [
        (estimate, name)
        for estimate, name in defined
        if (estimate.high < whole.value if is_floor else estimate.low > whole.value)
    ]
    if not beyond:
        return ""
    worst = min if is_floor else max
    estimate, name = worst(beyond, key=lambda one: one[0].value)
    return f"{capitalised(score.name)} is worst in {name}: {estimate_text(estimate.value, estimate.low, estimate.high)}"


def _details(facts: ReportData, scores: Sequence[Score]) -> list[str]:
    states = Counter(score.state for score in scores if score.state)
    lines = []
    if len(states) > 1:
        each = ", ".join(f"{number} {word}" for word in URGENCY if (number := states[AlarmState(word)]))
        lines.append(f"{count_text(states.total(), 'metric')} with a limit: {each}")
    return [*map(capitalised, [*lines, *_open_line(facts, 1)]), *_progress_lines(facts)]


def _open_line(facts: ReportData, least: int) -> list[str]:
    """How many incidents are open, where there are so many."""
    still = [i for i in facts.incidents if i.resolved_at is None]
    return [f"{count_text(len(still), 'incident')} open{_named(still)}"] if len(still) >= least else []


def _progress_lines(facts: ReportData) -> list[str]:
    """The windows that are not judged yet, and those that were corrected."""
    under_way = [one for one in facts.cycles if not one.finished and one.cycle.state != CycleState.CANCELLED]
    return [capitalised(line) for line in (*map(_progress, under_way[-3:]), *facts.corrections)]


def _named(still: Sequence[Incident]) -> str:
    """The open incidents by name, as long as they fit into a line."""
    if len(still) > 2:
        return ""
    names = [f"{i.kind.value}, {metric_words(i.key.metric)} of {i.key.classifier}" for i in still]
    return ": " + "; ".join(f"{name}, opened {i.opened_at:%Y-%m-%d}" for name, i in zip(names, still, strict=True))


def _progress(one: CycleData) -> str:
    """The state of a window that is not judged yet."""
    said = f"window {span(one.cycle.window)} is {one.cycle.state.value}"
    if one.labels.drawn:
        said += f", {count(one.labels.used)} of {count(one.labels.drawn)} drawn items answered"
    return f"{said} (last error: {one.cycle.last_error})" if one.cycle.last_error else said


def _nothing_yet(facts: ReportData) -> str:
    if not facts.cycles:
        return "No window has been opened yet."
    return "No window has been judged yet."


def _all_of(number: int) -> str:
    return "the one metric with a limit is" if number == 1 else f"all {count(number)} metrics with a limit are"
