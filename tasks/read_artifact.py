"""How far the read of a population is, as progress artifacts in the Prefect UI: one for each of its phases."""

from time import monotonic
from typing import Final
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.logging import get_logger

from tasks.policy import SERVER_TROUBLE

_EVERY: Final = 5.0
"""Seconds between two updates; a read that is done sooner leaves no artifact."""


class ReadArtifact:
    """Listens to a cycle's reads. An artifact that cannot be written is no trouble of the read."""

    def __init__(self, cycle_id: int, every: float = _EVERY) -> None:
        self._cycle_id, self._every = cycle_id, every
        self._shown: dict[str, UUID] = {}
        self._last = monotonic()
        self._broken = False

    def __call__(self, phase: str, share: float | None) -> None:
        """Show the share, not too often."""
        done = share == 1.0
        if share is None or self._broken or (monotonic() < self._last + self._every and not done):
            return
        if done and phase not in self._shown:
            return
        self._last = monotonic()
        try:
            self._show(phase, 100 * share)
        except SERVER_TROUBLE:
            self._broken = True
            get_logger(__name__).warning("the progress of cycle %d cannot be shown", self._cycle_id, exc_info=True)

    def _show(self, phase: str, percent: float) -> None:
        if phase in self._shown:
            update_progress_artifact(self._shown[phase], progress=percent)
            return
        found = create_progress_artifact(
            progress=percent,
            key=f"cycle-{self._cycle_id}-{phase.replace(' ', '-')}",
            description=f"cycle {self._cycle_id}: {phase}",
        )
        if isinstance(found, UUID):
            self._shown[phase] = found
