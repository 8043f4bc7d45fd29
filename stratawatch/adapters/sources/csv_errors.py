"""Why DuckDB does not read a CSV file: the line, what is wrong with it, and what to do."""

import csv
import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from stratawatch.errors import InputRefused, Unreachable

_ENDS_IN_A_LINE: Final = rb"[^\r\n]\Z"
# How a file may end that is still being written.
_ENDS_IN_A_CHARACTER: Final = rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z"


@dataclass(frozen=True)
class _CsvError:
    what: str
    hint: str
    expected: str = ""
    got: str = ""
    unfinished: bytes = _ENDS_IN_A_LINE


def csv_error(message: str) -> InputRefused | Unreachable | None:
    """DuckDB's message as an error of ours; None where it is not about CSV.

    Unreachable where the end of the file explains the error: the file may still be being written.
    """
    file_names = re.findall(r'sniffing file "(.*)"\.$|^ *file = (.*)$', message, re.MULTILINE)
    if not file_names:
        return None
    path = Path("".join(file_names[-1]))
    try:
        error = _error(message, path)
        is_unfinished = error is not None and re.search(error.unfinished, _tail(path))
    except OSError:  # it is gone by now
        return None
    if error is None:
        return None
    if is_unfinished:
        hint = f"if it is still being written, it is read again at the next advance; else {error.hint}"
        return Unreachable(error.what, expected=error.expected, got=error.got, hint=hint)
    return InputRefused(error.what, expected=error.expected, got=error.got, hint=error.hint)


def _error(message: str, path: Path) -> _CsvError | None:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    if line is None:
        delimiter = re.search(r"Delimiter Candidates: '(.*?)'$", message, re.MULTILINE)
        return _first_ragged_line(path, delimiter[1].replace("\\t", "\t") if delimiter else ",")
    place = f"line {int(line[1]):,} of '{path}'"
    number = re.search(r"^Expected Number of Columns: (\d+) Found: (\d+)", message, re.MULTILINE)
    if number is not None:
        return _ragged_line(path, int(line[1]), int(number[1]), int(number[2]))
    if re.search(r"^Invalid unicode", message, re.MULTILINE):
        return _CsvError(f"{place} is not UTF-8 text", "export it in UTF-8", unfinished=_ENDS_IN_A_CHARACTER)
    if re.search(r"^Value with unterminated quote", message, re.MULTILINE):
        return _CsvError(f"{place} has a quote that closes no value", 'write a quote inside of a value twice ("")')
    if re.search(r"^Maximum line size", message, re.MULTILINE):
        return _CsvError(f"{place} is longer than two million bytes", "look for a quote before it that is not closed")
    return None


def _ragged_line(path: Path, line: int, expected: int, got: int) -> _CsvError:
    return _CsvError(
        f"line {line:,} of '{path}' does not fit its header",
        "quote values that hold the delimiter or a line end, or mend that line",
        expected=f"{expected} values",
        got=str(got),
    )


def _first_ragged_line(path: Path, delimiter: str) -> _CsvError:
    """DuckDB's message names no line: find the first one with more or fewer values than the header."""
    if path.suffix.lower() != ".zst":
        with _opened(path) as file:
            lines = csv.reader(file, delimiter=delimiter)
            try:
                header = next(lines, [])
                for values in lines:
                    if values and len(values) != len(header):
                        return _ragged_line(path, lines.line_num, len(header), len(values))
            except (csv.Error, EOFError):
                pass  # no line of it can be named
    return _CsvError(f"'{path}' is no CSV file that can be read", "look for quotes that are not closed or not doubled")


def _opened(path: Path) -> IO[str]:
    """The file as text. Bytes that are not UTF-8 are replaced: only values are counted here."""
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", errors="replace", newline="")
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def _tail(path: Path) -> bytes:
    """The last bytes; none of a compressed file: where that is cut off, decompressing it fails already."""
    if path.suffix.lower() in (".gz", ".zst"):
        return b""
    with path.open("rb") as file:
        file.seek(max(file.seek(0, 2) - 4, 0))
        return file.read()
