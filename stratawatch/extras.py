"""Optional dependencies: which packages each extra brings, and the sentence that asks for an extra that is missing."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from stratawatch.errors import ConfigError

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "pipeline": ("sqlalchemy", "alembic", "duckdb", "sqlglot", "pydantic", "pydantic_settings", "cronsim", "httpx"),
    "prefect": ("prefect",),
    "checks": ("great_expectations",),
    "report": ("matplotlib", "jinja2"),
    "web": ("starlette", "uvicorn", "jinja2"),
    "metrics": ("prometheus_client",),
    "baselines": ("sklearn",),
    "postgres": ("psycopg",),
    "delta": ("deltalake", "pyarrow"),
    "iceberg": ("pyiceberg", "pyarrow"),
    "spark": ("pyspark",),
    "spark-connect": ("pyspark", "grpc"),
    "bucket": ("obstore",),
    "redis": ("redis",),
    "rabbitmq": ("pika",),
    "sqs": ("boto3",),
    "apprise": ("apprise",),
}
"""Extra -> what is imported of it; what is installed for it stands in pyproject.toml."""

_BESIDES: Final = {"spark": ", and Java 17 or newer"}


class MissingExtra(ConfigError):  # noqa: N818 - it names what is missing, as its siblings do
    """Packages of an extra are not installed."""

    def __init__(self, extra: str, missing: tuple[str, ...]) -> None:
        self.extra = extra
        verb = "is" if len(missing) == 1 else "are"
        hint = f"run: pip install 'stratawatch[{extra}]'{_BESIDES.get(extra, '')}"
        super().__init__(f"{', '.join(missing)} {verb} not installed", hint=hint)


def is_installed(extra: str) -> bool:
    """Whether all packages of an extra are there; none of them is imported."""
    return not _missing(extra)


def require(extra: str) -> None:
    """Raise MissingExtra unless all packages of an extra are there; none of them is imported."""
    if missing := _missing(extra):
        raise MissingExtra(extra, missing)


def explained(error: ModuleNotFoundError) -> MissingExtra:
    """The error to show for an import that failed; the import's own error is raised when no extra brings the module."""
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            return MissingExtra(extra, _missing(extra) or (module,))
    raise error


def _missing(extra: str) -> tuple[str, ...]:
    return tuple(name for name in EXTRAS[extra] if find_spec(name) is None)
