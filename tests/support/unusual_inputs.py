"""Wrong and unusual inputs and wishes: what is typed or what the data are, and what `check` says of it.

The page docs/unusual-inputs.md shows the same lines. What is said is a part of the answer, word by word.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from tests.support.configurations import PANEL

GOOD: Final = "Everything is in order."
START: Final = "start = 2026-01-05T00:00:00Z"
LR: Final = 'score = "score_lr"\ncall = "pred_lr"'


@dataclass(frozen=True)
class UnusualInput:
    """One of them. `changes` are made in the configuration, `more` stands behind it.

    `columns` replace columns of the predictions, `rows` picks some of them, `prepare` does what else is needed.
    """

    typed: str
    said: str
    changes: tuple[tuple[str, str], ...] = ()
    more: str = ""
    columns: str = ""
    rows: str = ""
    added: str = ""
    prepare: Callable[[Path], None] | None = None
    judged: bool = False  # the installation has a judged cycle
    fine: bool = False  # the exit status is 0
    now: str = "2026-01-12T06:00:00+00:00"

    def query(self, rows: str) -> str:
        """The predictions, from those of the installation."""
        replaced = f" REPLACE ({self.columns})" if self.columns else ""
        added = f", {self.added}" if self.added else ""
        return f"SELECT *{replaced}{added} FROM ({rows}) {self.rows}"


def csv(text: str) -> Callable[[Path], None]:
    """Predictions as a CSV file instead."""

    def write(folder: Path) -> None:
        (folder / "predictions" / "week.parquet").unlink()
        (folder / "predictions" / "week.csv").write_text(text, encoding="utf-8")

    return write


def _lines(separator: str, header: int = 1, time: str = "2026-01-0{day}T10:00:00Z") -> str:
    names = ["id", "at", "text", "country", "score_lr", "score_rf", "pred_lr"]
    lines = [separator.join(names)] * header
    for i in range(2000):
        score = ((i * 7919) % 2003) / 2003
        cells = [f"item-{i}", time.format(day=5 + i % 5), f"text {i}", "DE", f"{score}", f"{score}", str(score >= 0.5)]
        lines.append(separator.join(cells))
    return "\n".join(lines) + "\n"


def _second_header(folder: Path) -> None:
    head, *lines = _lines(",").splitlines()
    csv("\n".join([head, *lines[:1000], head, *lines[1000:]]) + "\n")(folder)


def _file_for_queue(folder: Path) -> None:
    shutil.rmtree(folder / "queue", ignore_errors=True)
    (folder / "queue").write_text("a file where the folder should be", encoding="utf-8")


def _cut_file(folder: Path) -> None:
    (folder / "predictions" / "week.parquet").write_bytes(b"PAR1 cut in half")


def _no_rows(folder: Path) -> None:
    path = folder / "predictions" / "week.parquet"
    kept = folder / "rows.parquet"
    path.rename(kept)
    duckdb.sql(f"SELECT * FROM '{kept}' LIMIT 0").write_parquet(str(path))
    kept.unlink()


def _another_file(query: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        rows = f"SELECT * FROM '{folder}/predictions/week.parquet'"
        duckdb.sql(query.format(rows=f"({rows})")).write_parquet(str(folder / "predictions" / "other.parquet"))

    return write


CSV: Final = ("predictions/*.parquet", "predictions/*.csv")
SECOND: Final = PANEL.replace("panels.spam", "panels.scam")
PANEL_KEYS: Final = "budget = 60"


def key(line: str) -> tuple[tuple[str, str], ...]:
    """One key more in the panel's table."""
    return ((PANEL_KEYS, f"{PANEL_KEYS}\n{line}"),)


DATA: Final = (
    UnusualInput(
        "One class of a model of several: its score, and the text of the class as the call",
        GOOD,
        ((LR, 'score = "score_lr"\ncall = "class"\ncall_yes = "spam"'),),
        added="CASE WHEN pred_lr THEN 'spam' WHEN score_rf > 0.3 THEN 'ham' ELSE 'promotion' END AS class",
        fine=True,
    ),
    UnusualInput("A score and a cut-off, and no call", GOOD, ((LR, 'score = "score_lr"\ncut_off = 0.5'),), fine=True),
    UnusualInput(
        "A call and no score",
        "none can be tried of lr, which has no score",
        (('score = "score_lr"\n', ""),),
        fine=True,
    ),
    UnusualInput(
        "3 rows that the classifiers call positive",
        GOOD,
        columns="i_lr AS score_lr, i_lr >= 0.5 AS pred_lr, i_lr AS score_rf".replace(
            "i_lr", "(CASE WHEN id IN ('item-1', 'item-2', 'item-3') THEN 0.9 ELSE score_lr / 4 END)"
        ),
        fine=True,
    ),
    UnusualInput("No row that a classifier calls positive", GOOD, columns="FALSE AS pred_lr", fine=True),
    UnusualInput(
        "5% of the scores are NaN",
        "100 of 2,000 rows (5.00%) have no score of 'lr' in column 'score_lr' (null or NaN), more than the 1.00%",
        columns="CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN 'nan'::DOUBLE ELSE score_lr END AS score_lr",
    ),
    UnusualInput(
        "5% of the scores are null",
        "100 of 2,000 rows (5.00%) have no score of 'lr' in column 'score_lr' (null or NaN), more than the 1.00%",
        columns="CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN NULL ELSE score_lr END AS score_lr",
    ),
    UnusualInput(
        "5% of the scores of one classifier are missing, and max_missing_score_share = 0.1",
        GOOD,
        key("max_missing_score_share = 0.1"),
        columns="CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN NULL ELSE score_rf END AS score_rf",
        fine=True,
    ),
    UnusualInput(
        "5% of the calls are NaN",
        GOOD,
        columns="CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN 'nan'::DOUBLE ELSE pred_lr::INT END AS pred_lr",
        fine=True,
    ),
    UnusualInput(
        "5% of the calls are null",
        GOOD,
        columns="CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN NULL ELSE pred_lr END AS pred_lr",
        fine=True,
    ),
    UnusualInput(
        'Calls "ham" and "spam", and no call_yes',
        "write call_yes = \"spam\", if that is what means yes ('ham', 'spam') for 'lr'",
        columns="CASE WHEN pred_lr THEN 'spam' ELSE 'ham' END AS pred_lr",
    ),
    UnusualInput(
        'Calls "ham" and "spam", and call_yes = "Spam"',
        "no row has call_yes = 'Spam' in column 'pred_lr'; is it written exactly so there?",
        (('call = "pred_lr"', 'call = "pred_lr"\ncall_yes = "Spam"'),),
        columns="CASE WHEN pred_lr THEN 'spam' ELSE 'ham' END AS pred_lr",
        fine=True,
    ),
    UnusualInput(
        "Scores from 0 to 100 where probabilities are expected",
        "which looks like percentages: divide by 100, or send probabilities",
        columns="100 * score_rf AS score_rf",
    ),
    UnusualInput(
        "Logits where probabilities are expected",
        'which looks like logits or margins: set score_kind = "margin"',
        columns="8 * score_rf - 4 AS score_rf",
    ),
    UnusualInput(
        "Two rows of one id",
        "candidate items appear more than once in the window",
        prepare=_another_file("SELECT * FROM {rows}"),
    ),
    UnusualInput(
        'Two rows of one id, and duplicates = "latest"',
        GOOD,
        key('duplicates = "latest"'),
        prepare=_another_file("SELECT * FROM {rows}"),
        fine=True,
    ),
    UnusualInput("Ids that are whole numbers", GOOD, columns="CAST(SUBSTR(id, 6) AS BIGINT) AS id", fine=True),
    UnusualInput(
        "Ids that are numbers with a decimal point",
        GOOD,
        columns="CAST(SUBSTR(id, 6) AS DOUBLE) AS id",
        fine=True,
    ),
    UnusualInput("Ids that are UUIDs", GOOD, columns="CAST(MD5(id) AS UUID) AS id", fine=True),
    UnusualInput("Ids with spaces and quotes", GOOD, columns="' it''s \"' || id || '\"  ' AS id", fine=True),
    UnusualInput(
        "5% of the ids are null",
        "100 without an item id",
        columns="CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN NULL ELSE id END AS id",
    ),
    UnusualInput("A file without a row", "no window since the start at 2026-01-05 00:00 UTC has any", prepare=_no_rows),
    UnusualInput(
        "Rows, but none in the newest window",
        "The newest window with rows, [2026-01-05 00:00, 2026-01-12 00:00) +00:00, was looked at instead",
        now="2026-01-19T06:00:00+00:00",
    ),
    UnusualInput(
        "A start after all rows",
        "no window since the start at 2026-03-02 00:00 UTC has any",
        ((START, "start = 2026-03-02T00:00:00Z"),),
        now="2026-04-01T00:00:00+00:00",
    ),
    UnusualInput(
        "A start in the future",
        "panel 'spam' has no complete window yet",
        ((START, "start = 2126-01-07T00:00:00Z"),),
    ),
    UnusualInput(
        "A start years before the first row",
        "over and not opened yet: up to",
        ((START, "start = 2020-01-06T00:00:00Z"),),
        fine=True,
    ),
    UnusualInput("Times without a zone", GOOD, columns='CAST("at" AS TIMESTAMP) AS "at"', fine=True),
    UnusualInput(
        "Times of another zone than UTC", GOOD, columns='"at" AT TIME ZONE \'America/New_York\' AS "at"', fine=True
    ),
    UnusualInput("Times as ISO text", GOOD, columns='CAST("at" AS VARCHAR) AS "at"', fine=True),
    UnusualInput(
        "Times as text of another form",
        "got '05/01/2026' in a row without a readable time",
        columns='STRFTIME("at", \'%d/%m/%Y\') AS "at"',
    ),
    UnusualInput(
        "Times as seconds since 1970",
        "column 'at' cannot be the time; expected a timestamp",
        columns='EPOCH("at")::BIGINT AS "at"',
    ),
    UnusualInput(
        "5% of the times are null",
        "rows without a time belong to no window and count in each one",
        columns='CASE WHEN CAST(SUBSTR(id, 6) AS INT) % 20 = 7 THEN NULL ELSE "at" END AS "at"',
    ),
    UnusualInput(
        "Rows that came after their window was read",
        "5 rows of the window before came after it was read and are counted in none",
        prepare=_another_file(
            'SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at", id || \'+\' AS id) FROM (SELECT * FROM {rows} LIMIT 1990)'
            " UNION ALL SELECT * REPLACE (id || '-' AS id) FROM (SELECT * FROM {rows} LIMIT 5)"
        ),
        judged=True,
        fine=True,
        now="2026-01-19T06:00:00+00:00",
    ),
    UnusualInput("A CSV file with ; between its columns", 'delimiter = ";"', (CSV,), prepare=csv(_lines(";"))),
    UnusualInput(
        "A CSV file with its header in the middle once more",
        "cannot be used",
        (CSV,),
        prepare=_second_header,
        fine=True,
    ),
    UnusualInput(
        "A column of numbers with words among them",
        "got 'n/a' in a row with an unreadable score of 'rf'",
        columns="CASE WHEN id LIKE '%7' THEN 'n/a' ELSE score_rf::VARCHAR END AS score_rf",
    ),
    UnusualInput(
        "A pattern that matches no file", "no Parquet or CSV file matches", (("predictions/*", "prediction/*"),)
    ),
    UnusualInput(
        "A path that leads out of the folder", "'path' leads out of the folder", (("predictions/*", "/etc/*"),)
    ),
    UnusualInput(
        "A file that is no Parquet file",
        "a file that is still being written is read again at the next advance; else export it again",
        prepare=_cut_file,
    ),
    UnusualInput(
        "A column of the payload that is not there",
        "column 'body' (payload for labellers of panel 'spam') is missing",
        (('payload = ["text"]', 'payload = ["body"]'),),
    ),
    UnusualInput(
        "A text of 1 MB in the payload",
        GOOD,
        columns="CASE WHEN id = 'item-7' THEN REPEAT('x', 1000000) ELSE \"text\" END AS \"text\"",
        fine=True,
    ),
    UnusualInput("A payload that is empty", "payload column 'text' is empty for", columns="'' AS \"text\"", fine=True),
    UnusualInput("A column whose name has another case", "did you mean 'score_lr'?", (('"score_lr"', '"score_LR"'),)),
    UnusualInput(
        "A segment column of 10,000 values",
        "segment column 'country' has too many values to report on; expected at most 1000",
        columns="id AS country",
    ),
    *(
        UnusualInput(f"Calls that are {what}", GOOD, columns=f"{sql} AS pred_lr", fine=True)
        for what, sql in (
            ("0 and 1", "pred_lr::INTEGER"),
            ('"yes" and "no"', "CASE WHEN pred_lr THEN 'yes' ELSE 'no' END"),
            ("0.0 and 1.0", "pred_lr::DOUBLE"),
        )
    ),
    UnusualInput(
        "Calls that are 1 and 2",
        "got '2' in a row with an unreadable call of 'lr'",
        columns="1 + pred_lr::INTEGER AS pred_lr",
    ),
    UnusualInput(
        "A classifier whose scores are all the same",
        "all 2,000 scores of 'rf' are 0.5",
        columns="0.5 AS score_rf",
        fine=True,
    ),
    UnusualInput(
        "A classifier that made no call at all",
        "classifier 'lr' made no call on any of 2,000 rows",
        columns="NULL::BOOLEAN AS pred_lr",
        fine=True,
    ),
)

WISHES: Final = (
    UnusualInput(
        "cut_off = 60", "the cut-off of a probability is out of its range", (("cut_off = 0.6", "cut_off = 60.0"),)
    ),
    UnusualInput(
        "A classifier with call and cut_off", "has both `call` and `cut_off`", ((LR, f"{LR}\ncut_off = 0.5"),)
    ),
    UnusualInput(
        'A goal for the metric "auc"',
        "'metric' is not known; expected precision or recall",
        (('metric = "precision"\nmargin', 'metric = "auc"\nmargin'),),
    ),
    UnusualInput(
        "A limit on a segment whose column is not listed",
        "'language' is not among the columns in `segments`; known are: country",
        (("floor = 0.97", 'floor = 0.97\nsegment = "language=de"'),),
    ),
    UnusualInput(
        "A limit on a segment that no row has",
        "is in country=XX: limits on it are BLIND",
        (("floor = 0.97", 'floor = 0.97\nsegment = "country=XX"'),),
        fine=True,
    ),
    UnusualInput(
        "A limit of 0",
        "'floor' is out of its range; expected more than 0.0; got 0.0",
        (("floor = 0.97", "floor = 0.0"),),
    ),
    UnusualInput(
        "A limit of 1",
        "'floor' is out of its range; expected less than 1.0; got 1.0",
        (("floor = 0.97", "floor = 1.0"),),
    ),
    UnusualInput(
        "budget = 5", "'budget' is out of its range; expected at least 10; got 5", ((PANEL_KEYS, "budget = 5"),)
    ),
    UnusualInput(
        "budget = 10",
        "the budget is too small for this panel; expected at least 12 for 2 classifiers; got 10",
        ((PANEL_KEYS, "budget = 10"),),
    ),
    UnusualInput(
        "A budget that is larger than the window",
        "the budget of 100,000 labels is larger than the window",
        ((PANEL_KEYS, "budget = 100000"),),
        fine=True,
    ),
    UnusualInput("votes = 2", "an even number of votes can tie", key("votes = 2")),
    UnusualInput(
        "A deadline that is longer than every",
        "up to 6 cycles ask at once",
        (('deadline = "3d"', 'deadline = "30d"'),),
        fine=True,
    ),
    UnusualInput('every = "1d"', GOOD, (('every = "7d"', 'every = "1d"'),), now="2026-01-06T06:00:00+00:00", fine=True),
    UnusualInput('every = "week"', "'every' is not a length of time", (('every = "7d"', 'every = "week"'),)),
    UnusualInput("A start without a zone", "'start' has no offset from UTC", ((START, "start = 2026-01-05T00:00:00"),)),
    UnusualInput("A key with a typo", "there is no key 'budgt'; did you mean 'budget'?", ((PANEL_KEYS, "budgt = 60"),)),
    UnusualInput(
        "A secret that is written literally",
        "'secret' is a secret written into the file",
        more='[[alerts]]\nkind = "webhook"\nurl = "https://hooks.example.org/abc"\nsecret = "whsec_abc"\n',
    ),
    UnusualInput(
        "A variable of the environment that is not set",
        "the environment variable OPS_HOOK is not set",
        more='[[alerts]]\nkind = "webhook"\nurl = "${env:OPS_HOOK}"\n',
    ),
    UnusualInput("question is missing", "'question' is missing", (('question = "Is it spam?"\n', ""),)),
    UnusualInput(
        "A guideline_file that is not there",
        "the guideline cannot be read; got No such file or directory",
        (('guideline = "Spam is what nobody asked for."', 'guideline_file = "guideline.md"'),),
    ),
    UnusualInput(
        "A queue folder that cannot be written",
        "cannot be created; got a file is in its place",
        prepare=_file_for_queue,
    ),
    UnusualInput(
        "A channel of an unknown kind",
        "'kind' is not known; expected alertmanager or apprise or console or mail",
        more='[[alerts]]\nkind = "teams"\n',
    ),
    UnusualInput(
        "Two channels of one name",
        "two channels are named 'console'",
        more='[[alerts]]\nkind = "console"\n[[alerts]]\nkind = "console"\n',
    ),
    UnusualInput("paused = true of a panel", GOOD, key("paused = true"), fine=True),
    UnusualInput(
        "paused = true of every classifier",
        "every classifier is paused",
        ((LR, f"{LR}\npaused = true"), ("cut_off = 0.6", "cut_off = 0.6\npaused = true")),
    ),
    UnusualInput("shadow = true of a classifier", GOOD, ((LR, f"{LR}\nshadow = true"),), fine=True),
    UnusualInput(
        "max_drop and no baseline",
        "have none in force and are BLIND",
        (("floor = 0.97", "max_drop = 0.05"),),
        fine=True,
    ),
    UnusualInput(
        'stop_rule = "goals" without goals',
        'stop_rule = "goals" needs to know when to stop; expected at least one goal; got none',
        (*key('stop_rule = "goals"'), ('[[panels.spam.goals]]\nmetric = "precision"\nmargin = 0.1\n', "")),
    ),
    UnusualInput("rounds = 4", "'rounds' is out of its range; expected at most 3; got 4", key("rounds = 4")),
    UnusualInput('design = "srs" with goals', "design of spam: srs", key('design = "srs"'), fine=True),
    UnusualInput(
        'A design of an unknown name, "neyman"',
        "'design' is not known; expected joint or srs or kumar or bennett or tripathi",
        key('design = "neyman"'),
    ),
    UnusualInput("Two panels on one file", GOOD, more=SECOND, fine=True),
    UnusualInput(
        "A panel without a classifier",
        "'classifiers' is missing",
        (
            (f"[panels.spam.classifiers.lr]\n{LR}\n", ""),
            ('[panels.spam.classifiers.rf]\nscore = "score_rf"\ncut_off = 0.6\n', ""),
            ('classifiers = ["lr"]', ""),
            ('classifiers = ["rf"]', ""),
        ),
    ),
)

CHANGES: Final = (
    UnusualInput(
        "A classifier that was renamed",
        "if it was only renamed, call it 'lr' again to keep them",
        (("classifiers.lr]", "classifiers.logistic]"), ('["lr"]', '["logistic"]')),
        judged=True,
        fine=True,
    ),
    UnusualInput(
        "A changed cut_off",
        "'rf' says yes by score_rf >= 0.7, no longer by score_rf >= 0.6",
        (("cut_off = 0.6", "cut_off = 0.7"),),
        judged=True,
        fine=True,
    ),
    UnusualInput(
        "Another column of calls",
        "'lr' says yes by pred_new, no longer by pred_lr",
        (('"pred_lr"', '"pred_new"'),),
        added="pred_lr AS pred_new",
        judged=True,
        fine=True,
    ),
    UnusualInput(
        "A changed question",
        "the question of panel 'spam' changed, so its next cycle asks another question",
        (("Is it spam?", "Is this spam?"),),
        judged=True,
        fine=True,
    ),
    UnusualInput(
        "A changed guideline",
        "keeps it the same question",
        (("nobody asked for", "nobody wants"),),
        judged=True,
        fine=True,
    ),
    UnusualInput(
        "A changed limit", "limits of panel 'spam' changed", (("floor = 0.97", "floor = 0.9"),), judged=True, fine=True
    ),
    UnusualInput(
        "A changed design", "the design is 'srs', no longer 'joint'", key('design = "srs"'), judged=True, fine=True
    ),
    UnusualInput(
        "A changed every",
        "the windows of panel 'spam' changed after its first cycle",
        (('every = "7d"', 'every = "1d"'),),
        judged=True,
    ),
    UnusualInput(
        "A changed confidence",
        "the confidence is 0.9, no longer 0.95: intervals are narrower",
        key("confidence = 0.9"),
        judged=True,
        fine=True,
    ),
    UnusualInput(
        "A changed seed", "the seed of panel 'spam' changed", (('seed = "s1"', 'seed = "s2"'),), judged=True, fine=True
    ),
    UnusualInput("Labels that are there already", GOOD, judged=True, fine=True),
)

UNUSUAL: Final = (*DATA, *WISHES, *CHANGES)
PAGE: Final = Path(__file__).parents[2] / "docs" / "unusual-inputs.md"
_TOP: Final = """\
# Unusual inputs and wishes

What `stratawatch check` says of data and configurations that are wrong or rare. What it says is a part of its answer, word by word: each line is
tried on an installation with 2,000 rows of two classifiers, `lr` with a column of calls and `rf` with a cut-off of 0.6. Where the status is 1, `plan`
and `advance` would refuse the same; where it is 0, they go on. [Every key](../stratawatch/config/template.toml) and [the input](input.md) say more.
"""
_PARTS: Final = (
    ("The data", "the data", DATA),
    ("The configuration", "typed", WISHES),
    ("What changed since the newest cycle", "changed", CHANGES),
)


def page() -> str:
    """The page docs/unusual-inputs.md."""
    parts = [_TOP]
    for title, what, cases in _PARTS:
        lines = [f"| {what} | what is said | status |", "|---|---|---|"]
        lines += [f"| {_cell(one.typed)} | {_cell(one.said)} | {0 if one.fine else 1} |" for one in cases]
        parts.append(f"## {title}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
