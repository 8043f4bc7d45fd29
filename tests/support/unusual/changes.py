"""What changed since the newest cycle, in a configuration that was in use."""

from typing import Final

from tests.support.unusual.one_input import GOOD, UnusualInput, key

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
