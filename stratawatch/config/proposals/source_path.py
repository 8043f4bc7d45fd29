"""Where predictions are, as a configuration writes it: relative to its folder, or outside and said so."""

import os
from dataclasses import dataclass
from pathlib import Path

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.sources.dated_paths import check_fields
from stratawatch.adapters.sources.file_set import FileSet, confine, find_files
from stratawatch.adapters.sources.table_look import delimiter_of
from stratawatch.errors import ConfigError, StratawatchError
from stratawatch.settings.confined_paths import confined


@dataclass(frozen=True)
class SourcePath:
    """The keys of a source that say which files it reads."""

    path: str
    allow_outside: bool
    delimiter: str | None
    files: FileSet


def source_path(given: str, folder: Path) -> SourcePath:
    """The files that a path of the command line means, as a configuration in this folder would name them."""
    if "://" in given:
        raise StratawatchError(
            "--from looks at files of this machine",
            got=given,
            hint="copy some of them here and look at these, then write that address as the source's `path`",
        )
    try:
        check_fields(given)
    except ValueError as trouble:
        raise StratawatchError(f"--from: the path {trouble}", got=given) from None
    home = folder.absolute()
    inside = os.path.relpath(Path(given).absolute(), home)
    is_outside = Path(inside).parts[:1] == (os.pardir,)
    path = os.path.normpath(home / inside) if is_outside else inside
    pattern = BuildContext(home).pattern(path)
    files = find_files(pattern)
    allow_outside = is_outside or _leads_out(home, inside, files)
    empty = next((file.path for file in files.files if not file.bytes), None)
    if empty is not None:
        raise StratawatchError(f"'{empty}' is empty", hint="name files with predictions in them")
    delimiter = delimiter_of(files)
    if delimiter is not None:
        files = find_files(BuildContext(home).pattern(path), delimiter)
    return SourcePath(path, allow_outside, delimiter, files)


def _leads_out(home: Path, inside: str, files: FileSet) -> bool:
    """Whether links below the folder lead out of it."""
    try:
        confined(home, inside)
        confine([file.path for file in files.files], home)
    except ConfigError:
        return True
    return False
