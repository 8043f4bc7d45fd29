"""The same items under the same seed are the same population and the same draw, from a frame and from DuckDB."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.population import Census
from stratawatch.core.score_bins import ScoreKind
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.engine.labels.labelled_cycle import candidates_of
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec, Columns, PanelSpec
from stratawatch.study import Study
from stratawatch.study.study_columns import columns_from_arguments
from stratawatch.study.study_population import StudyPopulation, read_population
from tests.support.draw_by_hand import uniform
from tests.support.predictions.panels import START, WINDOW, panel
from tests.support.predictions.tables import Table, write

SEED = "it's golden"
CLASSIFIERS = {
    "lr": ("p_lr", "is_lr"),
    "svm": ("m_svm", "is_svm"),
    "rules": (None, "is_rules"),
    "nn": ("p_nn", "is_nn"),
}
PANEL = panel(
    (
        ClassifierSpec("lr", "p_lr", call="is_lr"),
        ClassifierSpec("svm", "m_svm", "margin", call="is_svm"),
        ClassifierSpec("rules", call="is_rules"),
        ClassifierSpec("nn", "p_nn", call="is_nn"),
    ),
    columns=Columns("id", "ts", (), ("lang", "shop", "paid")),
    seed=SEED,
)
KINDS: dict[str, ScoreKind] = {"svm": "margin", "m_old": "margin"}
HELPED = replace(PANEL, auxiliary=(AuxiliarySpec("p_judge", "p_judge"), AuxiliarySpec("m_old", "m_old", "margin")))
PANELS = pytest.mark.parametrize("spec", [PANEL, HELPED], ids=["alone", "helped"])
GOALS = (Goal("precision", 0.05), Goal("recall", 0.06))
EDGES = [0.0, 1.0, 0.5, 0.25, 0.75, 2**-16, 2**-17, 1 - 2**-16, 5e-324, math.nextafter(0.5, 0), math.nextafter(1, 0)]
MARGINS = [0.0, -0.0, 800.0, -800.0, *(math.log(p / (1 - p)) for p in (0.25, 0.125, 0.75, 33 / 64, 1 / 1024))]
READERS: dict[str, Callable[[Path], Any]] = {
    "pandas": pd.read_parquet,
    "pyarrow": pq.read_table,
    "polars": pl.read_parquet,
}


def table(seed: int, ids: str, rows: int = 4000) -> Table:
    r = random.Random(seed)  # noqa: S311 - a seeded table, not a secret

    def column(make: Callable[[], Any], nothing: float = 0.05) -> list[Any]:
        return [None if r.random() < nothing else make() for _ in range(rows)]

    def score() -> float:
        return r.choice(EDGES) if r.random() < 0.2 else r.random() ** 3

    def margin() -> float:
        return r.choice(MARGINS) if r.random() < 0.4 else r.gauss(-2, 3)

    names = [f"Ünï-{i}" for i in range(rows)] if ids == "VARCHAR" else [i * 7919 for i in range(rows)]
    return {
        "id": (ids, names),
        "ts": ("TIMESTAMP", [START.replace(tzinfo=None)] * rows),
        "p_lr": ("DOUBLE", column(score, 0.4)),
        "m_svm": ("DOUBLE", column(margin, 0.4)),
        "p_nn": ("FLOAT", column(score, 0.4)),
        # Some 260 items have no score of a classifier; all but some 20 of them have one of a helper.
        "p_judge": ("DOUBLE", column(score, 0.1)),
        "m_old": ("DOUBLE", column(margin, 0.5)),
        "is_lr": ("BOOLEAN", column(lambda: r.random() < 0.2)),
        "is_svm": ("INTEGER", column(lambda: int(r.random() < 0.3), 0)),
        "is_rules": ("DOUBLE", column(lambda: float(r.random() < 0.3))),
        "is_nn": ("BOOLEAN", column(lambda: r.random() < 0.1, 0)),
        "lang": ("VARCHAR", column(lambda: r.choice(["de", "en", ""]))),
        "shop": ("INTEGER", column(lambda: r.choice([1, 2, 30]), 0)),
        "paid": ("BOOLEAN", column(lambda: r.random() < 0.5, 0)),
    }


def population(frame: Any, spec: PanelSpec) -> StudyPopulation:
    helpers = [one.name for one in spec.auxiliary]
    kinds = KINDS if helpers else {"svm": KINDS["svm"]}
    return read_population(
        frame, columns_from_arguments("id", CLASSIFIERS, helpers, ["lang", "shop", "paid"], kinds), SEED
    )


def as_dict(census: Census) -> dict[str, Any]:
    return {
        "classifiers": census.classifiers,
        "auxiliary": census.auxiliary,
        "cells": list(zip(census.patterns, census.bins.tolist(), census.counts.tolist(), strict=True)),
        "segments": {segment: counts.tolist() for segment, counts in census.segments.items()},
    }


def answer(digest: str, item: str) -> bool:
    return (uniform(digest[::-1]) < 0.3) or item.endswith("7")


@pytest.fixture(params=[("VARCHAR", 1), ("BIGINT", 2)], ids=["text ids", "whole numbers"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    kind, seed = request.param
    return write(tmp_path / "rows.parquet", table(seed, kind))


@PANELS
@pytest.mark.parametrize("library", READERS)
class TestSameItems:
    def test_the_census_is_the_one_that_duckdb_counts(self, path: Path, library: str, spec: PanelSpec) -> None:
        counted = FilesSource(path).census(spec, WINDOW)
        assert counted.profile.bad_rows == 0
        assert as_dict(population(READERS[library](path), spec).census) == as_dict(counted.census)

    def test_the_pools_hold_the_same_items_in_the_same_atoms(self, path: Path, library: str, spec: PanelSpec) -> None:
        ours, source = population(READERS[library](path), spec), FilesSource(path)
        survey = SurveySpec(GOALS, budget=300)
        atoms = stratify(ours.census, survey)
        quotas = pool_sizes(atoms, ours.panel.names, survey)
        theirs = candidates_of(source.candidates(spec, WINDOW, atoms, quotas), spec.columns.segments)
        mine = ours.candidates(atoms, quotas)
        columns = [(one.items, one.atoms.tolist(), one.digests, *one.segments.values()) for one in (mine, theirs)]
        assert set(zip(*columns[0], strict=True)) == set(zip(*columns[1], strict=True))
        assert len(mine) == sum(quotas) > 300


@PANELS
@pytest.mark.parametrize("budget", [300, None])
def test_all_rounds_draw_the_same_items(path: Path, budget: int | None, spec: PanelSpec) -> None:
    """Study by ask and tell; DuckDB by the engine's own steps: census, atoms, pools, plan, draw."""
    goals = () if budget else GOALS
    survey = SurveySpec(goals, budget, stop_at_goals=budget is None)
    source = FilesSource(path)
    census = source.census(spec, WINDOW).census
    atoms = stratify(census, survey)
    quotas = pool_sizes(atoms, census.classifiers, survey)
    pools = candidates_of(source.candidates(spec, WINDOW, atoms, quotas), spec.columns.segments)
    design = FrozenDesign(census.classifiers, atoms, pools)
    truth = {item: answer(digest, item) for item, digest in zip(pools.items, pools.digests, strict=True)}

    study = Study(
        pd.read_parquet(path),
        item="id",
        classifiers=CLASSIFIERS,
        goals=goals,
        budget=budget,
        seed=SEED,
        segments=["lang", "shop", "paid"],
        auxiliary=[one.name for one in spec.auxiliary],
        score_kind=KINDS if spec.auxiliary else {"svm": KINDS["svm"]},
    )
    rounds: list[set[str]] = []
    for ordinal in (1, 2) if budget else (1, 2, 3):
        drawn = DrawnItems.of_rounds(rounds)
        ledger = VerdictsByItem({item: "yes" if truth[item] else "no" for item in drawn})
        plan = design.plan(survey, ledger, drawn, ordinal=ordinal)
        rounds.append({pools.items[row] for row in design.draw(plan)} - drawn)
        asked = study.ask()
        assert {str(item) for item in asked} == rounds[-1]
        assert asked
        study.tell({item: truth[str(item)] for item in asked})
    assert study.ask() == []
    drawn = DrawnItems.of_rounds(rounds)
    ledger = VerdictsByItem({item: "yes" if truth[item] else "no" for item in drawn})
    engine = {(one.classifier, one.metric): one.result for one in design.estimate(ledger, drawn)}
    for row in study.estimates():
        if row.segment is None:
            known = engine[row.classifier, row.metric]
            assert (row.value, row.low, row.high) == pytest.approx((known.value, known.low, known.high), rel=1e-9)
