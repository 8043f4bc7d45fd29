"""Send what the outbox holds."""

from prefect import get_run_logger

from stratawatch.engine.alarms import send_notifications as engine
from stratawatch.engine.alarms.send_notifications import Sent
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="send notifications")
def send_notifications(ports: Ports) -> Sent:
    """Send the notifications that are due."""
    sent = engine.send_notifications(ports)
    get_run_logger().info("%d notifications sent", sent.number)
    for trouble in sent.troubles:
        get_run_logger().warning("%s", trouble)
    return sent
