"""The input check by Great Expectations: the profile of the whole window, then the candidates row by row."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from stratawatch.adapters.checks.candidate_suite import candidate_suite, repeated_rows
from stratawatch.adapters.checks.data_docs import write_page
from stratawatch.adapters.checks.failed_rows import failed_rows, with_failure_details
from stratawatch.adapters.checks.gx_runner import Validated, validate
from stratawatch.adapters.checks.input_rules import Suite, check_report
from stratawatch.adapters.checks.profile_suite import profile_suite
from stratawatch.adapters.checks.user_expectations import extended, suites_of_missing_panels
from stratawatch.adapters.checks.user_suites import collect_suites, read_suites
from stratawatch.engine.model.cycle_facts import CandidateItem, CheckReport
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import ConfigErrors


class GreatExpectationsCheck:
    """Keeps a page per window and check below `docs_folder`; reports name it relative to `root` (or docs_folder).

    Without a `docs_folder` it leaves no pages: for commands that only look.

    The user's own expectations are read from `suites_folder` for every window anew.
    """

    def __init__(
        self, docs_folder: Path | None, *, root: Path | None = None, suites_folder: Path | None = None
    ) -> None:
        self._docs_folder, self._root, self._suites_folder = docs_folder, root or docs_folder, suites_folder

    def profile(self, panel: PanelSpec, window: Window, profile: InputProfile) -> CheckReport:
        """Check the one-row profile of the whole window."""
        return self._report(panel, window, profile_suite(panel, window, profile))

    def candidates(self, panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> CheckReport:
        """Check the candidates row by row, duplicates included."""
        return self._report(panel, window, candidate_suite(panel, window, items), repeated_rows(items))

    def describe(self, panels: Sequence[PanelSpec]) -> Mapping[str, str]:
        """Say what the user added, for `check`. Raises ConfigErrors with all that is wrong with the files."""
        own, faults = collect_suites(self._suites_folder)
        faults += suites_of_missing_panels(own, [panel.name for panel in panels])
        if faults:
            raise ConfigErrors(faults)
        return {
            one.origin: f"{len(one.expectations)} on the {one.frame} of {', '.join(one.panels) or 'every panel'}"
            for one in own
        }

    def _report(
        self, panel: PanelSpec, window: Window, suite: Suite, bad_rows: tuple[QuarantinedRow, ...] = ()
    ) -> CheckReport:
        own = read_suites(self._suites_folder)
        extended_suite = extended(suite, own, panel.name)
        validated = with_failure_details(extended_suite, validate(extended_suite))
        docs, trouble = self._page(panel, window, extended_suite, validated)
        return check_report(
            validated.failed,
            (*bad_rows, *failed_rows(extended_suite, validated)),
            docs,
            remarks=(trouble,) * bool(trouble),
        )

    def _page(self, panel: PanelSpec, window: Window, suite: Suite, validated: Validated) -> tuple[str | None, str]:
        """The page's path, and the sentence where it could not be written: a window is not held up by its page."""
        if self._docs_folder is None or self._root is None:
            return None, ""
        try:
            page = write_page(self._docs_folder, panel, window, suite, validated)
        except OSError as trouble:
            reason = trouble.strerror or type(trouble).__name__
            return None, f"the page of the input check could not be written below {self._docs_folder}: {reason}"
        return (self._docs_folder / page).relative_to(self._root).as_posix(), ""
