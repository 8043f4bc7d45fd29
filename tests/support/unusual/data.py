"""Unusual data: rows, columns, files and times that are wrong or rare, and how they are written."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import duckdb

from tests.support.unusual.one_input import GOOD, LR, START, UnusualInput, key

CSV: Final = ("predictions/*.parquet", "predictions/*.csv")


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
