"""One Prefect task per use case, of the same name: retry policy, log line, call."""

from tasks import environment

environment.prepare()
