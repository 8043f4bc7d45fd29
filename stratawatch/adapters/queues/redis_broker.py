"""Redis, or a server that speaks as it does: a stream in each direction."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pydantic import SecretStr

from stratawatch.adapters.queues.broker import Given, origin
from stratawatch.adapters.queues.message_queue import Message
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.extras import require

if TYPE_CHECKING:
    from redis import Redis

BODY: Final = "body"
"""The field of an entry with the message."""
_ONCE: Final = """
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return {string.sub(known, 1, 64) == ARGV[2] and 'known' or 'another', ''} end
local entry = redis.call('XADD', KEYS[1], '*', 'id', ARGV[1], 'body', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. entry)
if ARGV[4] ~= ARGV[1] then
    local published = redis.call('HGET', KEYS[2], ARGV[4])
    if published and #published > 64 then redis.call('XDEL', KEYS[1], string.sub(published, 66)) end
end
return {'sent', entry}
"""
"""Adds a message unless one with its id was added before, in one step of the server.

One that says that a batch has ended takes the place of the entry in which the batch went out. The hash holds each
message's digest and its entry; an earlier release kept the digest alone.
"""


class RedisBroker:
    """Entries of a stream. Nothing is made beforehand; labels that the store has are trimmed.

    What was asked goes with its batch's end.
    """

    def __init__(self, url: SecretStr, tasks: str, labels: str, timeout: float) -> None:
        require("redis")
        self._url, self._tasks, self._labels, self._timeout = url, tasks, labels, timeout

    def make(self) -> None:
        """See that it is there: streams come into being with their first entry."""
        with self._connected() as redis:
            redis.ping()

    def waiting(self) -> int | None:
        """The length of the stream of labels."""
        with self._connected() as redis:
            return int(redis.xlen(self._labels))

    def send(self, message: Message) -> str:
        """Add it to the stream of tasks, once."""
        digest = sha256(message.body).hexdigest()
        sent = f"{{{self._tasks}}}:sent"  # the braces keep both keys on one node of a cluster
        with self._connected() as redis:
            outcome, entry = redis.eval(
                _ONCE, 2, self._tasks, sent, message.id, digest, message.body, message.published
            )
        if outcome == b"another":
            raise StratawatchError(
                f"the stream {self._tasks} has another message about batch {message.batch}",
                hint="two installations must not share a stream; give one of them its own [queue] tasks and labels",
            )
        return f"entry {entry.decode()}" if entry else "an entry of before"

    def forget(self, read: str) -> None:
        """Trim the stream; by its nodes, as Redis likes it."""
        with self._connected() as redis:
            redis.xtrim(self._labels, minid=_next(read), approximate=True)

    @contextmanager
    def given(self, after: str, most: int) -> Iterator[Sequence[Given]]:
        """Entries after that one."""
        with self._connected() as redis:
            found: Any = redis.xrange(self._labels, min=f"({after}" if after else "-", count=most)
        yield [Given(entry.decode(), fields.get(BODY.encode(), b"")) for entry, fields in found]

    @contextmanager
    def _connected(self) -> Iterator["Redis"]:
        from redis import Redis, RedisError, exceptions
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        where = origin(self._url)
        try:
            redis = Redis.from_url(
                self._url.get_secret_value(),
                socket_timeout=self._timeout,
                socket_connect_timeout=self._timeout,
                retry=Retry(NoBackoff(), 0),
            )
            with redis:
                yield redis
        except (exceptions.AuthenticationError, exceptions.NoPermissionError) as trouble:
            raise StratawatchError(
                f"the broker at {where} does not let us in",
                got=str(trouble),
                hint="see that [queue] url names a user that may use both streams, and its password",
                key="url",
            ) from None
        except (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.ReadOnlyError) as trouble:
            raise Unreachable(
                f"the broker at {where} cannot be reached",
                got=type(trouble).__name__,
                hint="see that it runs and that [queue] url is right",
                key="url",
            ) from None
        except (RedisError, ValueError) as trouble:
            raise StratawatchError(
                f"the broker at {where} refused what was asked",
                got=str(trouble)[:300] if isinstance(trouble, RedisError) else "an address that it does not understand",
                hint=f"see that it has room, and that {self._tasks} and {self._labels} are streams",
                key="tasks" if isinstance(trouble, RedisError) else "url",
            ) from None


def _next(entry: str) -> str:
    """The id after an entry's."""
    milliseconds, _, number = entry.partition("-")
    return f"{milliseconds}-{int(number) + 1}"
