"""The example shows every key there is, loads, and is what `init` writes."""

import re
import tomllib
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from stratawatch.adapters.adapter_settings import AdapterSettings
from stratawatch.config.loading import load_configuration
from stratawatch.config.panel_settings import DriftSettings
from stratawatch.config.settings import Settings

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "stratawatch/config/template.toml"
TEXT = EXAMPLE.read_text(encoding="utf-8")


def models(annotation) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, AdapterSettings):
        return [annotation.of_kind(kind) for kind in annotation.registry if f'kind = "{kind}"' in TEXT]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for member in get_args(annotation) for model in models(member)]


def every_key(model: type[BaseModel]) -> set[str]:
    keys = set()
    for name, field in model.model_fields.items():
        keys.add(field.alias or name)
        for below in models(field.annotation):
            keys |= every_key(below)
    return keys


def test_it_loads(tmp_path):
    path = tmp_path / "stratawatch.toml"
    path.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    spec = load_configuration(path).panels["toxicity"]
    assert [classifier.name for classifier in spec.classifiers] == ["lr", "trees"]
    assert len(spec.limits) == 3


def test_it_says_what_a_cluster_does():
    [line] = [line for line in EXAMPLE.read_text(encoding="utf-8").splitlines() if "cluster = " in line]
    assert line.endswith(
        "# items of one hang together: intervals count that, and are about customers to come with scores like these"
    )


def test_it_shows_every_key_there_is():
    """Of adapters it shows those that a beginner chooses from, each whole."""
    text = TEXT
    shown = set(re.findall(r"^(?:# )?(\w+) = ", text, re.MULTILINE))
    tables = {part for header in re.findall(r"^(?:# )?\[+([\w.]+)\]", text, re.MULTILINE) for part in header.split(".")}
    assert every_key(Settings) - shown - tables == set()


def test_what_is_commented_out_is_right_too(tmp_path):
    """Uncomment the optional keys that do not contradict others."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for key in (
        "batch_size",
        "label_validity",
        "blind_margin_factor",
        "allow_outside",
        "delimiter",
        "memory_limit",
        "threads",
        "cluster",
        "ingested",
        "variance",
        "duplicates",
    ):
        assert f"# {key} = " in text
        text = text.replace(f"# {key} = ", f"{key} = ")
    head, drift, options = re.split(r"^(?=# \[panels\.toxicity\.(?:drift|options)\])", text, flags=re.MULTILINE)
    text = head + re.sub(r"^# ", "", drift, flags=re.MULTILINE) + options
    assert tomllib.loads(text)["panels"]["toxicity"]["drift"].keys() == DriftSettings.model_fields.keys()
    path = tmp_path / "stratawatch.toml"
    path.write_text(text, encoding="utf-8")
    assert load_configuration(path).panels["toxicity"].columns.cluster == "customer_id"
