from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import Segment
from stratawatch.core.random_numbers import digest
from stratawatch.core.stratification.stratify import stratify
from stratawatch.errors import StratawatchError
from stratawatch.study.study_columns import columns_from_arguments
from stratawatch.study.study_population import read_population
from tests.support.study_frames import CLASSIFIERS, FRAMES, StudyData

STUDY_DATA = StudyData(600)


def read(frame=None, *, seed="7", **changes):
    panel = columns_from_arguments("item_id", CLASSIFIERS, ["judge"], ["region"], None)
    return read_population(STUDY_DATA.frame(**changes) if frame is None else frame, panel, seed)


class TestCensus:
    @pytest.mark.parametrize("kind", FRAMES)
    def test_counts_every_item_once_whatever_the_frame(self, kind):
        census = read(STUDY_DATA.frame(kind)).census
        assert census.size == 600
        assert (census.classifiers, census.auxiliary) == (("lr", "vote"), ("judge",))
        assert {len(pattern) for pattern in census.patterns} == {3}
        assert {str(segment): int(counts.sum()) for segment, counts in census.segments.items()} == {
            "region=north": 200,
            "region=south": 400,
        }

    def test_a_frame_without_rows_is_refused(self):
        with pytest.raises(StratawatchError, match="the frame has no rows"):
            read(STUDY_DATA.frame().iloc[:0])


class TestCandidates:
    def test_are_the_smallest_digests_of_every_stratum(self):
        population = read()
        atoms = stratify(population.census, SurveySpec(budget=100))
        everyone = population.candidates(atoms, [10**6] * (1 + max(atom.stratum for atom in atoms)))
        assert len(everyone) == 600
        strata = np.array([atom.stratum for atom in atoms])[everyone.atoms]
        pools = population.candidates(atoms, [5] * len(atoms))
        for stratum in range(strata.max() + 1):
            inside = [everyone.items[row] for row in np.flatnonzero(strata == stratum)]
            smallest = sorted(inside, key=lambda item: digest("7", item))[:5]
            assert set(smallest) == set(pools.items) & set(inside)

    def test_every_item_lies_in_the_atom_of_its_pattern_and_score(self):
        population = read()
        atoms = stratify(population.census, SurveySpec(budget=100))
        found = population.candidates(atoms, [7] * len(atoms))
        where = dict(zip(STUDY_DATA.columns["item_id"], population.patterns.cell.tolist(), strict=True))
        for item, home, text in zip(found.items, found.atoms.tolist(), found.digests, strict=True):
            cell, atom = where[item], atoms[home]
            assert population.patterns.patterns[cell] == atom.pattern
            assert atom.first_bin <= population.patterns.bins[cell] <= atom.last_bin
            assert text == digest("7", item)

    def test_they_carry_their_segments(self):
        population = read()
        atoms = stratify(population.census, SurveySpec(budget=100))
        found = population.candidates(atoms, [3] * len(atoms))
        regions = dict(zip(STUDY_DATA.columns["item_id"], STUDY_DATA.columns["region"], strict=True))
        assert found.segments["region"] == tuple(regions[item] for item in found.items)

    def test_a_stratum_that_wants_nothing_gets_nothing(self):
        population = read()
        atoms = stratify(population.census, SurveySpec(budget=100))
        wanted = [0] * len({atom.stratum for atom in atoms})
        assert len(population.candidates(atoms, wanted)) == 0

    def test_unlucky_strata_are_looked_through_again(self):
        """Heads that are all large: no ceiling guesses them."""
        population = read()
        population.items.prefixes[:] |= np.uint64(0xF << 60)
        atoms = stratify(population.census, SurveySpec(budget=100))
        assert len(population.candidates(atoms, [1] * len(atoms))) == len({atom.stratum for atom in atoms})


class TestWithSegments:
    def test_atoms_get_back_what_the_census_counts(self):
        population = read()
        atoms = stratify(population.census, SurveySpec(budget=100))
        bare = [replace(atom, segments={}) for atom in atoms]
        assert population.with_segments(bare) == atoms
        assert sum(atom.segments.get(Segment("region", "north"), 0) for atom in atoms) == 200


class TestFingerprint:
    def test_the_order_of_rows_and_the_kind_of_frame_do_not_matter(self):
        shuffled = STUDY_DATA.frame().sample(frac=1, random_state=1)
        assert read().fingerprint == read(shuffled).fingerprint == read(STUDY_DATA.frame("polars")).fingerprint

    @pytest.mark.parametrize(
        "changes",
        [
            {"item_id": ["new", *STUDY_DATA.columns["item_id"][1:]]},
            {"pred_vote": ~STUDY_DATA.columns["pred_vote"]},
            {"score_lr": STUDY_DATA.columns["score_lr"] ** 2},
            {"judge": STUDY_DATA.columns["judge"] ** 2},
            {"region": STUDY_DATA.columns["region"][::-1]},
        ],
        ids=lambda changes: next(iter(changes)),
    )
    def test_another_value_is_another_fingerprint(self, changes):
        assert read().fingerprint != read(**changes).fingerprint

    def test_two_items_that_swap_places_are_seen(self):
        frame = STUDY_DATA.frame()
        swapped = frame.assign(item_id=frame["item_id"].iloc[::-1].to_numpy())
        assert read().fingerprint != read(pd.DataFrame(swapped)).fingerprint
