"""Load a configuration: the file, the environment over it, every check, then the engine's records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.config.all_rules import rule_problems
from stratawatch.config.classifier_rules import items_asked_twice
from stratawatch.config.configuration_file import read_document
from stratawatch.config.key_lines import key_lines, line_of
from stratawatch.config.overrides import merged, read_overrides, variable_of
from stratawatch.config.panel_specs import panel_spec
from stratawatch.config.problems import ConfigProblems, Place, Problem
from stratawatch.config.renamed_keys import KeyRenamer, renamed_place
from stratawatch.config.settings import Settings
from stratawatch.config.shape_problems import shape_problems
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.errors import ConfigError
from stratawatch.settings.database_urls import store_url


@dataclass(frozen=True)
class Configuration:
    """A checked configuration."""

    path: Path
    settings: Settings
    panels: Mapping[str, PanelSpec]
    lines: dict[Place, int] = field(repr=False)
    notices: tuple[Problem, ...] = ()
    """What is no mistake yet: keys under old names."""

    @property
    def folder(self) -> Path:
        """Where relative paths begin."""
        return self.path.parent

    def placed(self, problem: Problem) -> Problem:
        """The problem with its line, or the variable that brought the value."""
        return _placed(problem, self.lines)

    def store_url(self) -> SecretStr:
        """The store's address with its password."""
        store = self.settings.store
        password = store.password.get_secret_value() if store.password else None
        return SecretStr(store_url(self.folder, store.url, password, store.connection_options(self.folder)))

    @property
    def context(self) -> BuildContext:
        """What adapters of this installation are built with."""
        return BuildContext(self.folder)

    def secret_problems(self) -> list[Problem]:
        """References of the alert channels and the heartbeat that lead nowhere."""
        heartbeat, secrets = self.settings.heartbeat, list[tuple[Place, SecretStr]]()
        for index, alert in enumerate(self.settings.alerts):
            secrets += [(("alerts", index, *place), secret) for place, secret in alert.secrets()]
        if heartbeat is not None:
            secrets.append((("heartbeat", "url"), heartbeat.url))
        return self.secrets_that_lead_nowhere(secrets)

    def secrets_that_lead_nowhere(self, secrets: Iterable[tuple[Place, SecretStr]]) -> list[Problem]:
        """The problems of those references, each at its place, behind which there is nothing."""
        problems = []
        for place, secret in secrets:
            try:
                self.context.reveal(secret)
            except ConfigError as trouble:
                problems.append(self.placed(Problem.of(place, trouble)))
        return problems


def load_configuration(path: str | Path) -> Configuration:
    """Read and check; raises ConfigProblems with everything that is wrong."""
    document = read_document(Path(path))
    keys = KeyRenamer()
    overrides, problems = read_overrides()
    data = merged(keys.renamed(document.data), keys.renamed(overrides))
    problems += keys.problems
    lines = key_lines(document.text)
    lines = {renamed_place(place): line for place, line in lines.items()} | lines
    settings = _settings(data, problems)
    if settings is not None:
        problems += rule_problems(settings, document.folder)
    if settings is None or problems:
        placed = [_placed(problem, lines) for problem in problems]
        raise ConfigProblems(document.path, sorted(dict.fromkeys(placed), key=_by_line))
    panels = {name: panel_spec(name, panel, document.folder) for name, panel in settings.panels.items()}
    notices = tuple(_placed(notice, lines) for notice in (*keys.notices, *items_asked_twice(settings)))
    return Configuration(document.path, settings, panels, lines, notices)


def _settings(data: dict[str, Any], problems: list[Problem]) -> Settings | None:
    try:
        return Settings.model_validate(data)
    except ValidationError as trouble:
        problems += shape_problems(trouble, data)
        return None


def _placed(problem: Problem, lines: dict[Place, int]) -> Problem:
    if problem.variable or problem.line or not problem.place:
        return problem
    return replace(problem, line=line_of(lines, problem.place), variable=variable_of(problem.place))


def _by_line(problem: Problem) -> tuple[int, str]:
    return problem.line or 0, problem.where
