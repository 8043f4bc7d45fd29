"""The minutes of the configuration, as Prefect's server and the served flows keep them."""

from datetime import UTC, datetime, timedelta

from tests.support import served_flows
from tests.support.small_installation import SmallInstallation


def test_the_crons_of_the_configuration_create_runs_that_run(tmp_path):
    place = SmallInstallation.found(tmp_path, start=datetime.now(UTC) - timedelta(days=8), weeks=1)
    served_flows.prove_that_schedules_run(place)
