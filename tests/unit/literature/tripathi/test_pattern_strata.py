from itertools import groupby

import numpy as np
import pytest

from stratawatch.core.designs.frozen import stratify_for_survey
from stratawatch.core.population import Census
from stratawatch.literature.tripathi.pattern_strata import LABELS_A_STRATUM, MOST_STRATA
from tests.support.tripathi_cycle import CENSUS, survey

LONG = Census(("a",), ("0",) * 60 + ("1",), np.r_[np.arange(100, 400, 5), 900], np.full(61, 100))


def united(atoms) -> list[list[str]]:
    by_stratum = sorted(atoms, key=lambda atom: atom.stratum)
    return [[atom.pattern for atom in group] for _, group in groupby(by_stratum, key=lambda atom: atom.stratum)]


def test_every_pattern_that_someone_calls_positive_is_a_stratum_whole():
    found = united(stratify_for_survey(CENSUS, survey(parent="a")))
    called = sorted(sorted({pattern[:3] for pattern in stratum}) for stratum in found if "1" in stratum[0][:3])
    assert called == [["-10"], ["001"], ["010"], ["011"], ["100"], ["110"], ["111"]]


def test_auxiliary_letters_do_not_part_a_pattern():
    (stratum,) = [each for each in united(stratify_for_survey(CENSUS, survey(parent="a"))) if each[0].startswith("010")]
    assert sorted(stratum) == ["0100", "0101"]


def test_items_that_the_parent_did_not_judge_stand_apart():
    found = united(stratify_for_survey(CENSUS, survey(parent="a")))
    assert ["-000"] in found
    assert ["----"] in found
    assert ["-000", "0000", "0000"] in [
        sorted(each)[:3] for each in united(stratify_for_survey(CENSUS, survey(40, parent="b")))
    ]


@pytest.mark.parametrize(("budget", "strata"), [(40, 1), (4 * LABELS_A_STRATUM, 2), (2000, MOST_STRATA)])
def test_quiet_items_are_cut_the_finer_the_more_labels_there_are(budget, strata):
    atoms = [atom for atom in stratify_for_survey(LONG, survey(budget)) if atom.pattern == "0"]
    assert len({atom.stratum for atom in atoms}) == strata


def test_a_stratum_of_quiet_items_has_neighbours_only():
    atoms = [atom for atom in stratify_for_survey(LONG, survey(1000)) if atom.pattern == "0"]
    runs = [stratum for stratum, _ in groupby(atoms, key=lambda atom: atom.stratum)]
    assert len(runs) == len(set(runs)) == MOST_STRATA
