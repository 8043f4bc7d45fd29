"""What is wrong with a CSV file that DuckDB does not read: the line, the fault, and what to do."""

import csv
import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from stratawatch.errors import InputRefused, Unreachable

_IN_A_LINE: Final = rb"[^\r\n]\Z"
_IN_A_LETTER: Final = rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z"
"""How a file may end that somebody has not finished yet."""


@dataclass(frozen=True)
class _Fault:
    what: str
    hint: str
    expected: str = ""
    got: str = ""
    unfinished: bytes = _IN_A_LINE


def csv_trouble(message: str) -> InputRefused | Unreachable | None:
    """The sentence for an error about CSV; None where it is about something else.

    It is Unreachable where the file's end explains it: whoever writes it may not have finished.
    """
    named = re.findall(r'sniffing file "(.*)"\.$|^ *file = (.*)$', message, re.MULTILINE)
    if not named:
        return None
    path = Path("".join(named[-1]))
    try:
        fault = _fault(message, path)
        cut = fault is not None and re.search(fault.unfinished, _tail(path))
    except OSError:  # it is gone by now
        return None
    if fault is None:
        return None
    if cut:
        hint = f"if it is still being written, it is read again at the next advance; else {fault.hint}"
        return Unreachable(fault.what, expected=fault.expected, got=fault.got, hint=hint)
    return InputRefused(fault.what, expected=fault.expected, got=fault.got, hint=fault.hint)


def _fault(message: str, path: Path) -> _Fault | None:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    if line is None:
        delimiter = re.search(r"Delimiter Candidates: '(.*?)'$", message, re.MULTILINE)
        return _unlike_its_header(path, delimiter[1].replace("\\t", "\t") if delimiter else ",")
    place = f"line {int(line[1]):,} of '{path}'"
    number = re.search(r"^Expected Number of Columns: (\d+) Found: (\d+)", message, re.MULTILINE)
    if number is not None:
        return _ragged(path, int(line[1]), int(number[1]), int(number[2]))
    if re.search(r"^Invalid unicode", message, re.MULTILINE):
        return _Fault(f"{place} is not UTF-8 text", "export it in UTF-8", unfinished=_IN_A_LETTER)
    if re.search(r"^Value with unterminated quote", message, re.MULTILINE):
        return _Fault(f"{place} has a quote that closes no value", 'write a quote inside of a value twice ("")')
    if re.search(r"^Maximum line size", message, re.MULTILINE):
        return _Fault(f"{place} is longer than two million bytes", "look for a quote before it that is not closed")
    return None


def _ragged(path: Path, line: int, expected: int, got: int) -> _Fault:
    return _Fault(
        f"line {line:,} of '{path}' does not fit its header",
        "quote values that hold the delimiter or a line end, or mend that line",
        expected=f"{expected} values",
        got=str(got),
    )


def _unlike_its_header(path: Path, delimiter: str) -> _Fault:
    """Where nothing but a failure is told, the first line with more or fewer values than the header is looked for."""
    if path.suffix.lower() != ".zst":
        with _opened(path) as file:
            lines = csv.reader(file, delimiter=delimiter)
            try:
                header = next(lines, [])
                for values in lines:
                    if values and len(values) != len(header):
                        return _ragged(path, lines.line_num, len(header), len(values))
            except (csv.Error, EOFError):
                pass  # then it is no line that says what is wrong
    return _Fault(f"'{path}' is no CSV file that can be read", "look for quotes that are not closed or not doubled")


def _opened(path: Path) -> IO[str]:
    """As text; of what is not UTF-8 only the lines matter here."""
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", errors="replace", newline="")
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def _tail(path: Path) -> bytes:
    """The last bytes; none of a compressed file, because of half of one the decompression itself fails."""
    if path.suffix.lower() in (".gz", ".zst"):
        return b""
    with path.open("rb") as file:
        file.seek(max(file.seek(0, 2) - 4, 0))
        return file.read()
