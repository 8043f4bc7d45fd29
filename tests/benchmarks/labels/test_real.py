"""Part B: frames are read as they are, ways are compared at equal labels, verdicts fail when a promise is broken."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from benchmarks.labels import real
from benchmarks.labels.frames import load
from benchmarks.labels.peers import PEERS
from benchmarks.labels.real import ALONE, JOINTLY, Case, Score, score, verdicts
from benchmarks.shape import Options

ITEMS = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """adult_income as it could be: hgb has probabilities, lr margins, vote a mean of scores."""
    rng = np.random.default_rng(4)
    margin = rng.normal(-1.5, 2, ITEMS)
    label = rng.random(ITEMS) < 1 / (1 + np.exp(-margin))
    other = margin + rng.normal(0, 1, ITEMS)
    table = pd.DataFrame(
        {
            "item_id": [f"i{n}" for n in range(ITEMS)],
            "label": label.astype(int),
            "score_hgb": 1 / (1 + np.exp(-margin)),
            "pred_hgb": (margin > 0).astype(int),
            "score_lr": other,
            "pred_lr": (other > 0).astype(int),
            "score_vote": 0.5,
            "pred_vote": ((margin > 0) & (other > 0)).astype(int),
        }
    )
    target = tmp_path_factory.mktemp("data")
    with duckdb.connect() as session:
        session.register("frame", table)
        session.execute(f"COPY frame TO '{target / 'adult_income.parquet'}' (FORMAT parquet)")
    return target


def case_of(folder: Path, method: str, labels=200, repetitions=30) -> Case:
    return Case(folder / "adult_income.parquet", "hgb", labels, method, repetitions, seed=2)


class TestLoad:
    def test_calls_links_and_truth(self, folder):
        frame = load(folder / "adult_income.parquet")
        assert frame.classifiers == ("hgb", "lr", "vote")
        assert np.isnan(frame.scores[:, 2]).all()
        assert (frame.scores[:, 1] > 0).all()
        assert ((frame.scores[:, 1] > 0.5) == frame.calls[:, 1]).all()
        assert 0 < frame.truth.mean() < 1

    def test_one_classifier_is_binned_by_its_own_score(self, folder):
        frame = load(folder / "adult_income.parquet")
        assert (frame.period("hgb").items.z == frame.scores[:, 0]).all()
        assert frame.period().items.z == pytest.approx(frame.scores[:, :2].mean(axis=1))


class TestScore:
    @pytest.mark.parametrize("method", [ALONE, JOINTLY, "plain sampling"])
    def test_every_way_uses_its_labels_and_comes_near_the_truth(self, folder, method):
        precision, recall = score(case_of(folder, method))
        assert (precision.metric, recall.metric) == ("precision", "recall")
        for one in (precision, recall):
            assert one.labels == 200
            assert one.rmse < 0.1
            assert one.coverage > 0.8
            assert one.half_width > one.rmse

    def test_a_domain_that_is_labelled_whole_is_no_contest(self, folder):
        called = int(load(folder / "adult_income.parquet").calls[:, 0].sum())
        found = score(case_of(folder, "plain sampling", labels=called, repetitions=2))
        assert [one.metric for one in found] == ["recall"]

    def test_the_same_seed_gives_the_same_errors(self, folder):
        one, two = (score(case_of(folder, "plain sampling"))[0] for _ in range(2))
        assert one.rmse == two.rmse
        assert score(replace(case_of(folder, "plain sampling"), seed=3))[0].rmse != one.rmse


class TestRun:
    def options(self, data):
        return Options(1, quick=True, data=data, json=None, given=Namespace(workers=1, repetitions=3))

    def test_says_that_it_did_not_run_without_data(self):
        assert real.run(self.options(None)).rows[0]["state"] == "not run: no --data DIR"

    def test_missing_peers_and_files_have_rows(self, folder, monkeypatch):
        monkeypatch.setattr(real, "installed", lambda peer: peer.module is None)
        result = real.run(self.options(folder))
        states = {row["peer"]: row["state"] for row in result.rows if "peer" in row}
        assert states == {peer.name: "asked" if peer.module is None else "not installed" for peer in PEERS}
        assert {"data": "sms_spam", "state": "not found in --data"} in result.rows
        methods = {row["method"] for row in result.rows if "method" in row}
        assert methods == {ALONE, JOINTLY, "plain sampling"}


class TestVerdicts:
    def scores(self, folder, **own):
        mine = Score(case_of(folder, ALONE), "recall", 0.040, 0.95, 0.1, 200, 1.0)
        others = [
            replace(mine, case=case_of(folder, name), rmse=0.05, coverage=0.8) for name in ("ssepy", "ppi-python")
        ]
        return [replace(mine, **own), *others]

    def test_good_errors_keep_every_must_and_aim(self, folder):
        assert [v.holds for v in verdicts(self.scores(folder))] == [True] * 4

    def test_a_peer_that_does_better_breaks_a_must(self, folder):
        broken = [v for v in verdicts(self.scores(folder, rmse=0.051)) if not v.holds]
        assert [v.kind for v in broken] == ["aim", "must", "aim"]

    def test_low_coverage_breaks_a_must(self, folder):
        broken = [v for v in verdicts(self.scores(folder, coverage=0.92)) if not v.holds]
        assert [(v.kind, v.value) for v in broken] == [("must", 0.92)]

    def test_a_peer_is_compared_at_the_same_metric_and_labels_only(self, folder):
        mine, *others = self.scores(folder)
        elsewhere = [replace(one, metric="precision") for one in others]
        assert not [v for v in verdicts([mine, *elsewhere]) if "ssepy" in v.name]
