"""Two overlapping classifiers, item by item."""

from tests.support.every_draw import Small


def letters(*parts):
    """ "0..01..1" by (items, positives)."""
    return ["1" * yes + "0" * (items - yes) for items, yes in parts]


def two_classifiers() -> Small:
    """Precision .84 and .82, recall .85 and .81, and many negatives that both let pass, some of them wrongly."""
    return Small.of(
        ["11", "11", "10", "01", "00", "00", "00"],
        [0.95, 0.8, 0.6, 0.5, 0.2, 0.02, 0.002],
        [0, 0, 1, 2, 3, 4, 5],
        letters((600, 570), (300, 225), (150, 90), (150, 60), (500, 50), (3000, 30), (9000, 9)),
    )
