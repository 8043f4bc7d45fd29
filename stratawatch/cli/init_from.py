"""stratawatch init --from: look at predictions, ask what they do not tell, and propose a configuration."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

import typer

from stratawatch.cli.output import print_line
from stratawatch.cli.progress_bar import shown_progress
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text, minute, percent, printable

if TYPE_CHECKING:
    from stratawatch.adapters.sources.column_summary import TableSummary
    from stratawatch.config.proposals.proposal import Choices, Proposal, ProposedClassifier, Unsure
    from stratawatch.config.proposals.source_path import SourcePath

_SHORTEST: Final = timedelta(minutes=1)
_LONGEST: Final = timedelta(days=366)


@dataclass(frozen=True)
class Proposed:
    """What was looked at, what is proposed, and the configuration's text."""

    proposal: "Proposal"
    source: "SourcePath"
    table: "TableSummary"
    text: str

    def show(self) -> None:
        """Say what was seen and what follows from it."""
        from stratawatch.config.proposals.written_proposal import length_text

        found, schedule = self.proposal, self.proposal.schedule
        print_line(_looked_at(self.table, self.source))
        facts = {
            "item": found.item,
            "time": found.time,
            "row's classifier": found.classifier_column or "",
            "shown to people": ", ".join(found.payload),
            "segments": ", ".join(found.segments),
            "windows": f"of {length_text(schedule.every)} from {minute(schedule.start)} UTC",
        }
        for name, fact in facts.items():
            if fact:
                print_line(f"{name}: {fact}", indent="  ")
        for panel in found.panels:
            print_line(f"panel {panel.name}: {panel.question}", indent="  ")
            for one in panel.classifiers:
                print_line(f"{one.name}: {_classifier(one)}", indent="    ")
        for remark in self.remarks:
            print_line(f"Note: {remark}.")
        for question in found.unsure:
            value = f" {question.of}=VALUE" if question.of else ""
            taken = f"'{question.proposed}' was taken; --{question.option}{value} says otherwise"
            print_line(f"Nobody was asked: {question.asked} {taken}.")
        print_line()

    @property
    def remarks(self) -> list[str]:
        """What people should know before they go on."""
        outside = (
            f"'{self.source.path}' lies outside of the configuration's folder: allow_outside = true lets it be read"
        )
        return [*([outside] if self.source.allow_outside else []), *self.proposal.remarks]

    def document(self) -> dict[str, Any]:
        """The same as JSON values."""
        found, source = self.proposal, self.source
        return {
            "source": {
                "path": source.path,
                "allow_outside": source.allow_outside,
                "delimiter": source.delimiter,
                "rows": self.table.rows,
                "rows_looked_at": self.table.looked_at,
            },
            "proposal": {
                "item": found.item,
                "time": found.time,
                "classifier": found.classifier_column,
                "payload": list(found.payload),
                "segments": list(found.segments),
                "start": found.schedule.start,
                "every_seconds": found.schedule.every.total_seconds(),
                "panels": [
                    {
                        "panel": panel.name,
                        "question": panel.question,
                        "classifiers": [vars(one) for one in panel.classifiers],
                    }
                    for panel in found.panels
                ],
            },
            "remarks": self.remarks,
            "unsure": [vars(one) for one in found.unsure],
        }


def propose_from(
    given: str, config: Path, said: Mapping[str, str | list[str]], *, may_ask: bool, takes_proposals: bool
) -> Proposed:
    """Look at the files and propose; what they do not tell is asked, taken as proposed, or an error that names it."""
    from stratawatch.adapters.sources.table_look import look_at
    from stratawatch.config.proposals.proposal import Unsure
    from stratawatch.config.proposals.propose import propose
    from stratawatch.config.proposals.source_path import source_path
    from stratawatch.config.proposals.table_facts import table_facts
    from stratawatch.config.proposals.written_proposal import written

    choices, source = _choices(said), source_path(given, config.absolute().parent)
    asked = set[Unsure]()
    with look_at(source.files) as look:
        while True:
            with shown_progress():
                facts = table_facts(look, choices)
            proposal = propose(facts, choices, source.path)
            open_questions = [one for one in proposal.unsure if one not in asked]
            if takes_proposals or not open_questions:
                break
            if not (may_ask and _is_terminal()):
                raise _cannot_tell(open_questions)
            asked.add(open_questions[0])
            choices = _answered(choices, open_questions[0])
        return Proposed(proposal, source, facts.table, written(proposal, source, token_hex(8)))


def _choices(said: Mapping[str, str | list[str]]) -> "Choices":
    from stratawatch.config.proposals.column_names import plain_name
    from stratawatch.config.proposals.proposal import Choices

    single = {key: value for key, value in said.items() if isinstance(value, str)}
    several = {key: tuple(value) for key, value in said.items() if isinstance(value, list)}
    panel = single.get("panel")
    if panel is not None and plain_name(panel, "") != panel:
        raise StratawatchError(
            "--panel is not a name",
            expected="lower-case letters, digits, _ and -, beginning with a letter or digit",
            got=panel,
        )
    return Choices(
        single.get("item"),
        single.get("time"),
        panel,
        single.get("question"),
        _length(single.get("every")),
        **several,
    )


def _length(text: str | None) -> timedelta | None:
    """The length of a window that was chosen."""
    from stratawatch.settings.durations import parse_duration

    try:
        length = None if text is None else parse_duration(text)
    except ValueError as trouble:
        raise StratawatchError(f"--every {trouble}", got=text or "") from None
    if length is not None and not _SHORTEST <= length <= _LONGEST:
        raise StratawatchError("--every is no length of windows", expected="from 1m to 366d", got=text or "")
    if length is not None and length % _SHORTEST:
        raise StratawatchError("--every is no length of windows", expected="whole minutes", got=text or "")
    return length


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _cannot_tell(questions: "Sequence[Unsure]") -> StratawatchError:
    asked = " ".join(f"{one.asked} (--{one.option}{f' {one.of}=VALUE' if one.of else ''})" for one in questions)
    proposed = ", ".join(f"'{one.proposed}'" for one in questions)
    return StratawatchError(
        f"the predictions do not tell everything: {asked}",
        hint=f"answer with {'that option' if len(questions) == 1 else 'these options'}, or --yes takes {proposed}",
    )


def _answered(choices: "Choices", question: "Unsure") -> "Choices":
    """The choices with a person's answer to one question."""
    answer = str(typer.prompt(printable(question.asked), default=question.proposed)).strip()
    match question.option:
        case "payload":
            return replace(choices, payload=tuple(name.strip() for name in answer.split(",") if name.strip()))
        case "class":
            return replace(choices, classes=(answer,))
        case "item":
            return replace(choices, item=answer)
        case "time":
            return replace(choices, time=answer)
        case "call-yes":
            return replace(choices, call_yes=(*choices.call_yes, f"{question.of}={answer}"))
        case _:
            return replace(choices, question=answer)


def _looked_at(table: "TableSummary", source: "SourcePath") -> str:
    rows = count_text(table.rows, "row")
    part = "" if table.looked_at == table.rows else f", of which {percent(table.looked_at / table.rows)} were looked at"
    return f"{count_text(len(source.files.files), 'file')} with {rows}{part}: {source.path}"


def _classifier(one: "ProposedClassifier") -> str:
    said = []
    if one.score is not None:
        said.append(f"score {one.score}, a {one.score_kind}")
    if one.cut_off is not None:
        said.append(f"yes from {one.cut_off:g} on")
    if one.call is not None:
        means = "" if one.call_yes is None else f", of which '{one.call_yes}' means yes"
        said.append(f"call {one.call}{means}")
    if one.called is not None:
        said.append(f"called '{one.called}' in the table")
    return "; ".join(said)
