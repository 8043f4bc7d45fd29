"""A place in S3, Google Cloud Storage or Azure: objects by name, and errors that show no secret."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from stratawatch.extras import require

SCHEMES: Final = ("s3", "gs", "az")
RETRIES: Final = 3
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ObjectInfo:
    """An object as it was listed or opened. `stamp` is another after any change of its content."""

    name: str
    size: int
    stamp: str
    changed: datetime


def is_in_bucket(path: str) -> bool:
    """Whether a path is the address of something in a bucket."""
    return path.partition("://")[0] in SCHEMES and "://" in path


def bytes_of(size: str) -> int:
    """A size in words, as in 50GB.

    >>> bytes_of("1.5KB")
    1500
    """
    return int(float(size[:-2]) * 1000 ** (1 + ("KB", "MB", "GB", "TB").index(size[-2:])))


def check_storage_url(url: str) -> str:
    """The address of a place in a bucket; one that holds anything but a bucket and a prefix is refused."""
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.netloc:
        raise ValueError(
            "is no place in a bucket: write s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"
        )
    if any(map(str.isspace, parts.netloc)) or url != url.strip():
        raise ValueError("has a blank in the name of its bucket, or at an end")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("may name a bucket and a prefix and nothing else: secrets go into credentials, by reference")
    return url


def check_endpoint(url: str) -> str:
    """The address of a server that is not the cloud's own; unencrypted on this machine only."""
    parts = urlsplit(url)
    usable = parts.hostname and parts.port != 0  # asking for a port that is no number up to 65535 raises too
    usable = usable and not any(map(str.isspace, url))
    if parts.scheme not in ("http", "https") or not usable or "@" in parts.netloc or parts.query:
        raise ValueError("is no address of a server: write https://host")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ValueError("would be reached unencrypted: write https (http is for this machine only)")
    return url


def connect(
    url: str,
    what: str,
    *,
    credentials: Mapping[str, SecretStr],
    endpoint: str | None = None,
    region: str | None = None,
    timeout: timedelta,
) -> "ObjectStorage":
    """The place at an address. What `credentials` does not say the client takes from its environment."""
    require("bucket")
    from obstore.exceptions import BaseError
    from obstore.store import from_url

    given = {"endpoint": endpoint, "region": region}
    config: Any = {key: value for key, value in given.items() if value}
    config |= {key: value.get_secret_value() for key, value in credentials.items()}
    seconds = f"{timeout.total_seconds():g}s"
    options: Any = {"timeout": seconds, "connect_timeout": seconds, "allow_http": (endpoint or "").startswith("http:")}
    retries: Any = {"max_retries": RETRIES, "retry_timeout": RETRIES * timeout}
    try:
        store = from_url(
            url,
            config=config,
            client_options=options,
            retry_config=retries,
        )
    except (BaseError, OSError, TypeError, ValueError) as trouble:
        # The library's own words could quote a value.
        raise ConfigError(
            f"{what} at {url} cannot be set up",
            got=type(trouble).__name__,
            hint="see that credentials have obstore's names for this cloud; gs:// has no endpoint and no region",
            key="credentials",
        ) from None
    return ObjectStorage(store, url, what)


class ObjectStorage:
    """Objects below one prefix. `what` names it in errors, which are Unreachable and not in the client's own words."""

    def __init__(self, store: Any, where: str, what: str) -> None:
        self.where = where
        self._store, self._what = store, what

    def listed(self, folder: str) -> list[ObjectInfo]:
        """The objects directly in a folder, by name."""
        import obstore

        found = []
        with self._reaching("be listed"):
            for chunk in obstore.list(self._store, folder):
                for meta in chunk:
                    name = str(meta["path"]).removeprefix(f"{folder}/")
                    if "/" not in name:
                        found.append(_info(name, meta))
        return sorted(found, key=lambda info: info.name)

    def listed_below(self, folder: str = "") -> list[ObjectInfo]:
        """All objects of a folder and those below it, by name below the prefix."""
        import obstore

        with self._reaching("be listed"):
            chunks = obstore.list(self._store, folder or None)
            found = [_info(str(meta["path"]), meta) for chunk in chunks for meta in chunk]
        return sorted(found, key=lambda info: info.name)

    def download(self, info: ObjectInfo, to: Path) -> None:
        """Copy an object as it was listed into a new file. Raises Unreachable where it is another by now."""
        import obstore

        with self._reaching("be read"):
            try:
                answer = obstore.get(self._store, info.name)
            except FileNotFoundError:
                answer = None
            if answer is None or _info(info.name, answer.meta).stamp != info.stamp:
                raise Unreachable(
                    f"'{self.where}/{info.name}' was written to while it was read",
                    hint="it is read again at the next advance",
                )
            with to.open("xb") as file:
                for chunk in answer.stream():
                    file.write(chunk)

    def read(self, path: str, most: int) -> tuple[ObjectInfo, bytes] | None:
        """An object and its content, which is left empty when it is larger than `most`; None when there is none."""
        import obstore

        with self._reaching("be read"):
            try:
                answer = obstore.get(self._store, path)
                info = _info(path, answer.meta)
                return info, bytes(answer.bytes()) if info.size <= most else b""
            except FileNotFoundError:
                return None

    def exists(self, path: str) -> bool:
        """Whether there is such an object."""
        import obstore

        with self._reaching("be read"):
            try:
                obstore.head(self._store, path)
            except FileNotFoundError:
                return False
            return True

    def create(self, path: str, content: bytes) -> bool:
        """Write an object unless there is one; whether it was written."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        with self._reaching("be written"):
            try:
                obstore.put(self._store, path, content, mode="create")
            except AlreadyExistsError:
                return False
            return True

    def replace(self, path: str, content: bytes) -> None:
        """Write an object, whatever is there."""
        import obstore

        with self._reaching("be written"):
            obstore.put(self._store, path, content)

    def copy(self, path: str, to: str) -> bool:
        """Copy an object over another; whether there was one to copy."""
        import obstore

        with self._reaching("be written"):
            try:
                obstore.copy(self._store, path, to)
            except FileNotFoundError:
                return False
            return True

    def delete(self, path: str) -> None:
        """Delete an object, if there is one."""
        import obstore

        with self._reaching("be written"):
            try:
                obstore.delete(self._store, path)
            except FileNotFoundError:
                return

    @contextmanager
    def _reaching(self, what: str) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except StratawatchError:
            raise
        except (BaseError, OSError) as trouble:
            # The client's own words quote addresses and the server's answer, which may name a key.
            raise Unreachable(
                f"{self._what} at {self.where} cannot {what}",
                got=type(trouble).__name__,
                hint="see that the bucket exists, the credentials may list, read and write, and the network is up",
                key="url",
            ) from None


def _info(name: str, meta: Any) -> ObjectInfo:
    # Every cloud has an ETag; a store without one is told by its last change. Azure lists it without the quotes.
    tag = (meta["e_tag"] or meta["last_modified"].isoformat()).strip('"')
    stamp = f"{tag}:{meta['size']}"
    return ObjectInfo(name, meta["size"], stamp, meta["last_modified"])
