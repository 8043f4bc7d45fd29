"""A feed of truth made of files: one statement a line of JSON, read as label files are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from stratawatch.adapters.adapter_settings import BuildContext, LocalPath
from stratawatch.adapters.queues.inbox import Inbox, NewLines, ReadCaps, ReadPosition, places
from stratawatch.adapters.queues.label_line import Origin, bad_line, json_object, time_of, word
from stratawatch.adapters.queues.label_values import InvalidError, label_value
from stratawatch.adapters.truth import TruthSettings
from stratawatch.answer_words import yes_or_no
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.truth import PolledTruth, TruthStatement
from stratawatch.errors import Unreachable
from stratawatch.settings.shapes import Text

MOST_CALLS: Final = 1000
"""Classifiers that a statement may name."""
_NO_CALLS: Final = "'calls' is not an object of classifiers with true or false"


class TruthFolderSettings(TruthSettings):
    """kind = "folder": JSONL files. `source` is that of statements that name none."""

    kind: Literal["folder"]
    folder: Text
    source: Text = "truth"

    @property
    def name(self) -> str:
        """Panel and folder."""
        return f"truth of {self.panel} in {self.folder}"

    def local_paths(self) -> tuple[LocalPath, ...]:
        """The folder, which others write into."""
        return (LocalPath("folder", self.folder),)

    def build(self, context: BuildContext) -> "TruthFolder":
        """The feed."""
        return TruthFolder(context.folder / self.folder, self.panel, self.source, self.name)


@dataclass(frozen=True)
class TruthFolder:
    """Every whole line of the `.jsonl` files in a folder, which is never written to."""

    folder: Path
    panel: str
    source: str
    name: str
    caps: ReadCaps = field(default_factory=ReadCaps)

    def poll(self, cursor: Mapping[str, object]) -> PolledTruth:
        """Read whole lines that came since `cursor`."""
        begins, now = places(cursor), datetime.now(UTC)
        statements: list[TruthStatement] = []
        rejected: list[QuarantinedRow] = []
        reached: dict[str, Any] = {}
        inbox = Inbox(self.folder, self.source, self.caps, partial(read_statement, self.panel))
        try:
            for name in inbox.names():
                position = ReadPosition.of(begins.get(name))
                left = self.caps.events - len(statements) - len(rejected)
                news = inbox.read(name, position, left, now) if left > 0 else NewLines[TruthStatement](position)
                if news is not None:
                    statements += news.events
                    rejected += news.rejected
                    reached[name] = news.position.as_cursor()
        except OSError as trouble:
            raise Unreachable(
                f"the folder {self.folder} with {self.name} cannot be read",
                got=trouble.strerror or type(trouble).__name__,
                hint="create it, mount it, or remove its [[truth]]",
            ) from trouble
        return PolledTruth(tuple(statements), tuple(rejected), {"files": reached})


def read_statement(panel: str, raw: bytes, origin: Origin) -> TruthStatement | QuarantinedRow:
    """Parse a line as a statement about an item of a panel, or as a bad row with the reason."""
    try:
        fields = json_object(raw)
        value, at = label_value(fields), time_of(fields)
        if value == "skip":
            raise InvalidError("'value' is none of yes, no, retract, true, false, 1, 0")  # noqa: TRY301 - as the others
        if at is None:
            raise InvalidError("has no 'at'")  # noqa: TRY301
        predicted_at = time_of({"at": fields.get("predicted_at")})
        return TruthStatement(
            panel=panel,
            item=word(fields, "item", longest=None),
            value=value,
            source=word(fields, "source", default=origin.source),
            at=at.astimezone(UTC),
            predicted_at=predicted_at.astimezone(UTC) if predicted_at else None,
            calls=_calls(fields.get("calls", {})),
        )
    except InvalidError as reason:
        return bad_line(raw, origin, f"a statement of truth: {reason}")


def _calls(found: Any) -> dict[str, bool]:
    if not isinstance(found, dict) or len(found) > MOST_CALLS:
        raise InvalidError(_NO_CALLS)
    calls = {name: call for name, call in zip(found, map(yes_or_no, found.values()), strict=True) if call is not None}
    if len(calls) < len(found):
        raise InvalidError(_NO_CALLS)
    return calls
