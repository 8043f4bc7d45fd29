"""Unusual settings: what the configuration says that is wrong or rare."""

import shutil
from pathlib import Path
from typing import Final

from tests.support.configurations import PANEL
from tests.support.unusual.one_input import GOOD, LR, PANEL_KEYS, START, UnusualInput, key

SECOND: Final = PANEL.replace("panels.spam", "panels.scam")


def _file_for_queue(folder: Path) -> None:
    shutil.rmtree(folder / "queue", ignore_errors=True)
    (folder / "queue").write_text("a file where the folder should be", encoding="utf-8")


SETTINGS: Final = (
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
