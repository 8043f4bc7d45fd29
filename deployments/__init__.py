"""How the flows get onto machines: images, units and manifests, and what a Prefect server is told."""

from tasks import environment

environment.prepare()
