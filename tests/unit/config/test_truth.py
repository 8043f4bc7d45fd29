"""[[truth]] names a panel that there is, and each folder once."""

from stratawatch.config.loading import load_configuration

TRUTH = '\n[[truth]]\nkind = "folder"\npanel = "{panel}"\nfolder = "{folder}"\nsource = "chargeback"\n'


def test_a_right_one_loads(write):
    (truth,) = load_configuration(write(more=TRUTH.format(panel="spam", folder="chargebacks"))).settings.truth
    assert (truth.panel, truth.name) == ("spam", "truth of spam in chargebacks")


def test_of_a_panel_that_is_not_there_is_refused(problem):
    assert "there is no panel 'eggs'" in problem(more=TRUTH.format(panel="eggs", folder="in"))


def test_a_folder_twice_is_refused(problem):
    assert "named twice" in problem(more=2 * TRUTH.format(panel="spam", folder="in"))


def test_a_folder_outside_is_refused(problem):
    assert "'folder'" in problem(more=TRUTH.format(panel="spam", folder="../in"))
