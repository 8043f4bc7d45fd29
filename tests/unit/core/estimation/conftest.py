import pytest

from tests.support.labelled_population import two_classifiers


@pytest.fixture(scope="module")
def population():
    return two_classifiers()


@pytest.fixture(scope="module")
def told(population):
    return population.labelled()
