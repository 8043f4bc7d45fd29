"""A small population of items with known labels, as frames of three kinds."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from stratawatch.study import Study

CLASSIFIERS = {"lr": ("score_lr", "pred_lr"), "vote": (None, "pred_vote")}
FRAMES = {"pandas": pd.DataFrame, "pyarrow": pa.table, "polars": pl.DataFrame}


class StudyData:
    """Items "i0", "i1", ... scored by lr, called by lr and vote; every third lives in the north."""

    def __init__(self, items: int = 4000, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        signal = 2 * rng.normal(size=items) - 3
        self.labels = rng.random(items) < 1 / (1 + np.exp(-signal))
        scores = [1 / (1 + np.exp(-(signal + 0.8 * rng.normal(size=items)))) for _ in range(3)]
        self.columns = {
            "item_id": [f"i{i}" for i in range(items)],
            "score_lr": scores[0],
            "pred_lr": scores[0] >= 0.4,
            "pred_vote": scores[1] >= 0.3,
            "judge": scores[2],
            "region": ["north" if i % 3 == 0 else "south" for i in range(items)],
        }

    def frame(self, kind: str = "pandas", **changes):
        return FRAMES[kind]({**self.columns, **changes})

    def study(self, **settings) -> Study:
        frame = settings.pop("frame", None)
        wanted = {"item": "item_id", "classifiers": CLASSIFIERS, "seed": 7, **settings}
        return Study(self.frame() if frame is None else frame, **wanted)

    def truth(self, item: str) -> bool:
        return bool(self.labels[int(item[1:])])

    def answer(self, study: Study, *, nobody_knows=()) -> list[list[str]]:
        """Answer truly until nothing is asked; the batches."""
        batches = []
        while len(batch := study.ask()):
            study.tell({item: None if item in nobody_knows else self.truth(item) for item in batch})
            batches.append(batch)
        return batches
