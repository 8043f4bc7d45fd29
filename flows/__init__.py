"""The order of steps, nothing else."""

from tasks import environment

environment.prepare()
