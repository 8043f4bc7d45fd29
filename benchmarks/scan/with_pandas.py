"""The same two answers by pandas, with the whole population in memory: what the queries are to be preferred to."""

from collections.abc import Sequence
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stratawatch.core.population import NO_BIN, Atom, Census
from stratawatch.core.score_bins import bins_of
from stratawatch.engine.model.panel_spec import PanelSpec


class Pandas:
    """Everything read, then everything done column by column. It knows what the benchmark's populations hold."""

    def prepare(self) -> None:
        """Pandas reads Parquet by a library that it loads late."""
        import pyarrow.parquet  # noqa: F401

    def read(self, folder: Path, panel: PanelSpec) -> int:
        """Into a frame, and that is all."""
        return len(_frame(folder, panel))

    def census(self, folder: Path, panel: PanelSpec) -> Census:
        """Count by pattern and bin, whole and per segment."""
        frame = _binned(folder, panel)
        counts = frame.groupby(["pattern", "bin"], observed=True).size().sort_index()
        return Census(
            classifiers=tuple(one.name for one in panel.classifiers),
            patterns=tuple(counts.index.get_level_values("pattern")),
            bins=np.asarray(counts.index.get_level_values("bin"), dtype=np.int64),
            counts=np.asarray(counts, dtype=np.int64),
        )

    def candidates(
        self, folder: Path, panel: PanelSpec, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[str, ...]:
        """Hash every id, sort every stratum."""
        frame = _binned(folder, panel)
        strata = pd.DataFrame(
            [(atom.pattern, bin_, atom.stratum) for atom in atoms for bin_ in range(atom.first_bin, atom.last_bin + 1)],
            columns=["pattern", "bin", "stratum"],
        )
        frame = frame.merge(strata, on=["pattern", "bin"])
        before = f"{panel.seed}:".encode()
        frame["digest"] = [md5(before + one.encode(), usedforsecurity=False).hexdigest() for one in frame["id"]]
        frame = frame.sort_values(["stratum", "digest"])
        place = frame.groupby("stratum").cumcount()
        return tuple(frame.loc[place < frame["stratum"].map(dict(enumerate(quotas))), "id"])


def _frame(folder: Path, panel: PanelSpec) -> pd.DataFrame:
    names = [panel.columns.item, panel.columns.time, *panel.columns.segments]
    names += [str(name) for one in panel.classifiers for name in (one.score, one.call)]
    return pd.read_parquet(folder, columns=names, dtype_backend="numpy_nullable")


def _binned(folder: Path, panel: PanelSpec) -> pd.DataFrame:
    frame = _frame(folder, panel)
    total, number = np.zeros(len(frame)), np.zeros(len(frame))
    pattern: Any = ""
    for one in panel.classifiers:
        score = frame[one.score].to_numpy(np.float64, na_value=np.nan)
        total += np.nan_to_num(score)
        number += ~np.isnan(score)
        call = frame[one.call].astype("Int8").fillna(2).to_numpy(np.int64)
        pattern = pattern + pd.Series(np.array(["0", "1", "-"], dtype=object)[call], dtype="str")
    bins = np.full(len(frame), NO_BIN)
    bins[number > 0] = bins_of(total[number > 0] / number[number > 0])
    return pd.DataFrame({"id": frame[panel.columns.item], "pattern": pattern, "bin": bins})
