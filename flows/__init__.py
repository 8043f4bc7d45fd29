"""The Prefect flows: each runs steps of the engine in order."""

from tasks import environment

environment.prepare()
