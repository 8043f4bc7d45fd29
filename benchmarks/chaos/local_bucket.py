"""Buckets that lie in folders: the product's adapter and its client, with files of this machine for objects.

People and faults reach them as they reach the folder. What S3 itself does is tried by tests/live/bucket.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import obstore.store

from stratawatch.adapters.object_storage import ObjectStorage
from stratawatch.adapters.queues import bucket


def keep_buckets_in_folders() -> None:
    """Let `s3://chaos/path` be the folder /path, in this process and those that it forks."""

    def connect(url: str, what: str, **_: Any) -> ObjectStorage:
        folder = Path(urlsplit(url).path)
        return ObjectStorage(obstore.store.LocalStore(folder, mkdir=True), url, what)

    vars(bucket)["connect"] = connect
