from tests.support.predictions import golden_draw as golden
from tests.support.predictions.panels import WINDOW


def test_spark_gets_a_hint_of_which_tables_are_small():
    """The population stays where it is: the quotas go to the workers, and so do the drawn items."""
    lines = [line.strip() for line in golden.statements("spark").candidates(WINDOW).splitlines()]
    joins = [line.split(" AS ")[-1].split(" ON ")[0] for line in lines if line.startswith("INNER JOIN")]
    hints = [line.removeprefix("SELECT /*+ BROADCAST(").split(")")[0] for line in lines if "BROADCAST" in line]
    assert "quotas" in joins
    assert hints.count("quotas") == 1
    assert hints.count("drawn") >= 1
