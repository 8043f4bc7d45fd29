"""The words of the method, which first screens leave to `--method` and to "How this was counted"; tables on a terminal."""

import re
from itertools import groupby

from stratawatch.formatting import READ_AS

METHOD_WORDS = (
    *(r"n_?eff", "effective n", "effective sample", "deff", "design effect"),
    *(r"strat(?:um|a|ify|ified|ification)", "bins?", "atoms?", "allocations?", "pilot", "patterns?"),
    *("inclusion probabilit(?:y|ies)", "permanent (?:random )?numbers?", "posterior", "priors?", "pooled"),
    *("MOVER(?:-[RD])?", "logits?", "FF/MID", "Wilson", "Neyman", "difference estimates?", "estimators?"),
    *("half-widths?", "variances?", "sampling error", "quantiles?", "bootstrap", "replicates?"),
    *("first uses?", "e-values?", "e-detectors?", "evidence", "bets?", "stakes?", "streams?", "readings?", "frames?"),
)
"""As regular expressions of whole words."""
_WORD = re.compile(rf"(?<![\w/-])(?:{'|'.join(METHOD_WORDS)})(?![\w/-])", re.IGNORECASE)
_IN_COLUMNS = re.compile(r"\S {2,}\S")


def method_words_in(text: str) -> list[str]:
    """The words of the method that a text has, in the order in which they come."""
    return _WORD.findall(text)


def unexplained_tables(screen: str) -> list[str]:
    """The headings of the tables of a screen below which nothing says how to read them.

    A table is several lines of columns, which two blanks or more set apart.
    """
    lines = [line.rstrip() for line in screen.splitlines()]
    found, place = [], 0
    for in_columns, group in groupby(lines, key=lambda line: bool(_IN_COLUMNS.search(line.strip()))):
        several = list(group)
        place += len(several)
        below = lines[place] if place < len(lines) else ""
        if in_columns and len(several) > 1 and not below.startswith(READ_AS):
            found.append(several[0])
    return found
