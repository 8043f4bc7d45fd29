"""A page that is due, channels to send it by, and what became of every notification."""

from dataclasses import replace
from datetime import timedelta

from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.alarms.silences import silence_alerts
from stratawatch.engine.model.alarm_records import Silence
from tests.support.fakes import MONDAY, WEEK
from tests.support.scenario import label_cycle


def connect(scenario, *channels, **rules) -> None:
    """Configure these channels and no other ones; `rules` by the name of a channel."""
    ports = replace(scenario.ports, channels={channel.name: channel for channel in channels}, channel_rules=rules)
    scenario.ports = ports


def breach(scenario) -> None:
    """Judge the first window, which is proven below its floor; the page's first attempt is made."""
    scenario.produce(0, quality=0.2, size=1000)
    label_cycle(scenario, channels_fail=True)
    (page,) = [one for one in outbox(scenario) if one.severity == "page"][:1]
    assert page.state in ("pending", "sent")


def meet_all_troubles(scenario, channel, **pause) -> None:
    """Send after every pause until a channel has met all its troubles; one that is not tried any more is a failure."""
    for _ in range(100):
        if not channel.troubles:
            return
        scenario.clock.advance(**pause)
        send_notifications(scenario.ports)
    raise AssertionError(f"{channel.name} is not tried any more; {len(channel.troubles)} troubles are left")


def outbox(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.outbox.all()


def states(scenario) -> list[tuple[str, str, str]]:
    return [(one.channel, one.severity, one.state) for one in outbox(scenario)]


def forget(scenario, **values) -> None:
    """Leave every notification as an earlier program would have left it."""
    from sqlalchemy import update

    from stratawatch.adapters.store.alarm_tables import notifications

    with scenario.ports.store.begin() as tx:
        tx._sql.execute(update(notifications).values(values))
        tx.commit()


def breach_again(scenario, *periods: int, quality: float = 0.2) -> None:
    """Judge further windows, each at its time."""
    for period in periods:
        scenario.produce(period, quality=quality, size=1000)
        scenario.clock.moment = MONDAY + (period + 1) * WEEK
        label_cycle(scenario, channels_fail=True)


def open_incidents(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.alarms.incidents(only_open=True)


def hush(scenario, *, days: float = 2, **parts):
    """Silence the panel, or a part of it, from now on."""
    now = scenario.clock.now()
    asked = Silence("spam", now + timedelta(days=days), "moving house", "ann", now, **parts)
    return silence_alerts(scenario.ports, asked)
