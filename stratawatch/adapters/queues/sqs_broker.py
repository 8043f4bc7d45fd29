"""Amazon SQS, or a server that speaks as it does: a queue in each direction."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import SecretStr

from stratawatch.adapters.object_storage import LOOPBACK
from stratawatch.adapters.queues.broker import Given
from stratawatch.adapters.queues.message_queue import Message
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from stratawatch.extras import require

A_CALL: Final = 10
"""Messages that SQS gives, or forgets, in one call."""
HIDDEN_SECONDS: Final = 60
"""How long nobody else is given messages that were read; who has not acknowledged them by then reads them again."""
WAIT_SECONDS: Final = 1
"""How long SQS looks before it says that there is nothing: without it only some of its servers are asked."""
_MISSING: Final = ("QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue")
_REFUSED: Final = ("AccessDenied", "AccessDeniedException", "InvalidClientTokenId", "SignatureDoesNotMatch")
_KEPT: Final = str(14 * 24 * 3600)
"""Seconds, the most that there is: unless it is asked for, SQS forgets a message after four days."""


class SqsBroker:
    """Queues, which `make` makes. Names that end in .fifo are queues that keep order and give a message once."""

    def __init__(self, url: SecretStr, tasks: str, labels: str, timeout: float) -> None:
        require("sqs")
        self._at, self._tasks, self._labels, self._timeout = _address(url), tasks, labels, timeout
        self._client: Any = None

    def make(self) -> None:
        """Make those queues that are missing; others stay as they are."""
        with self._connected() as sqs:
            for name in (self._tasks, self._labels):
                if self._url_of(sqs, name) is None:
                    about = {"MessageRetentionPeriod": _KEPT}
                    sqs.create_queue(
                        QueueName=name, Attributes=about | ({"FifoQueue": "true"} if _is_fifo(name) else {})
                    )

    def waiting(self) -> int | None:
        """About how many messages the queue of labels has."""
        name = "ApproximateNumberOfMessages"
        with self._connected() as sqs:
            url = self._url_of(sqs, self._labels)
            if url is None:
                return None
            attributes = self._whole(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name]), "Attributes")
            return int(attributes[name])

    def send(self, message: Message) -> str:
        """Send it. Whoever reads it may be given it twice, with the same id."""
        about = {"id": {"DataType": "String", "StringValue": message.id}}
        once = {"MessageGroupId": message.batch, "MessageDeduplicationId": sha256(message.id.encode()).hexdigest()}
        with self._connected() as sqs:
            answer = sqs.send_message(
                QueueUrl=self._made(sqs, self._tasks),
                MessageBody=message.body.decode(),
                MessageAttributes=about,
                **(once if _is_fifo(self._tasks) else {}),
            )
            sent = self._whole(answer, "MessageId")
        return f"message {sent}"

    def forget(self, read: str) -> None:
        """Nothing: what was acknowledged is gone."""

    @contextmanager
    def given(self, after: str, most: int) -> Iterator[Sequence[Given]]:
        """Messages that nobody has acknowledged. Those that a process had which died are given again after a while."""
        del after
        with self._connected() as sqs:
            url = self._made(sqs, self._labels)
            found: list[Mapping[str, Any]] = []
            end = monotonic() + HIDDEN_SECONDS / 2
            while len(found) < most and monotonic() < end:
                got = sqs.receive_message(
                    QueueUrl=url,
                    MaxNumberOfMessages=min(A_CALL, most - len(found)),
                    VisibilityTimeout=HIDDEN_SECONDS,
                    WaitTimeSeconds=0 if found else WAIT_SECONDS,
                ).get("Messages", ())
                if not got:
                    break
                found += got
            yield [Given(one["MessageId"], one["Body"].encode()) for one in found]
            for begin in range(0, len(found), A_CALL):
                part = found[begin : begin + A_CALL]
                entries = [{"Id": str(i), "ReceiptHandle": one["ReceiptHandle"]} for i, one in enumerate(part)]
                sqs.delete_message_batch(QueueUrl=url, Entries=entries)

    def _made(self, sqs: Any, name: str) -> str:
        url = self._url_of(sqs, name)
        if url is None:
            raise Unreachable(
                f"SQS at {self._at.where} has no queue {name}",
                hint="make it again; if what it held is lost: `stratawatch labels adopt-queue` makes an empty one",
            )
        return url

    def _url_of(self, sqs: Any, name: str) -> str | None:
        from botocore.exceptions import ClientError

        try:
            return str(self._whole(sqs.get_queue_url(QueueName=name), "QueueUrl"))
        except ClientError as trouble:
            if _code(trouble) in _MISSING:
                return None
            raise

    def _whole(self, answer: Mapping[str, Any], field: str) -> Any:
        """What an answer says. One that was cut short before its body comes as one that says nothing."""
        if field not in answer:
            raise Unreachable(f"SQS at {self._at.where} gave an answer that was cut short", expected=field)
        return answer[field]

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

        where = self._at.where
        try:
            if self._client is None:
                self._client = self._at.client(self._timeout)
            yield self._client
        except ClientError as trouble:
            code, status = _code(trouble), trouble.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if status >= 500 or code in ("Throttling", "RequestThrottled"):
                raise Unreachable(f"SQS at {where} cannot answer now", got=code) from None
            hint = "see that a batch is not too large for a message: set batch_size of the panel lower"
            if code in _REFUSED:
                hint = "see that the credentials may make, send to, read and delete from both queues"
            raise StratawatchError(f"SQS at {where} refused what was asked", got=code, hint=hint, key="url") from None
        except (NoCredentialsError, PartialCredentialsError):
            raise StratawatchError(
                f"SQS at {where} needs credentials",
                hint="let the machine have a role, or put them into [queue] url: sqs://KEY:SECRET@REGION",
                key="url",
            ) from None
        except (BotoCoreError, OSError) as trouble:
            raise Unreachable(
                f"SQS at {where} cannot be reached",
                got=type(trouble).__name__,
                hint="see that [queue] url has the right region and endpoint",
                key="url",
            ) from None


class _Address:
    """Where SQS is, and with which credentials; without them boto3 looks for them as it does."""

    def __init__(self, region: str, endpoint: str | None, keys: tuple[SecretStr, SecretStr] | None) -> None:
        self.where = endpoint or region
        self._region, self._endpoint, self._keys = region, endpoint, keys

    def client(self, timeout: float) -> Any:
        """A client that tries once: what fails is tried again by the next advance."""
        from boto3.session import Session
        from botocore.config import Config

        key, secret = self._keys or (None, None)
        return Session().client(
            "sqs",
            region_name=self._region,
            endpoint_url=self._endpoint,
            aws_access_key_id=key and key.get_secret_value(),
            aws_secret_access_key=secret and secret.get_secret_value(),
            config=Config(connect_timeout=timeout, read_timeout=timeout, retries={"total_max_attempts": 1}),
        )


def _address(url: SecretStr) -> _Address:
    """sqs://region, sqs://key:secret@region, and both with ?endpoint=https://... of another server."""
    parts = urlsplit(url.get_secret_value())
    asked = parse_qs(parts.query)
    endpoint = asked.pop("endpoint", [None])[0]
    if not parts.hostname or asked or parts.path.strip("/"):
        raise ConfigError(
            "[queue] url is no address of SQS",
            expected="sqs://REGION or sqs://REGION?endpoint=https://HOST",
            key="url",
        )
    if endpoint is not None:
        at = urlsplit(endpoint)
        if at.scheme != "https" and not (at.scheme == "http" and at.hostname in LOOPBACK):
            raise ConfigError(
                "[queue] url has an endpoint that would be reached unencrypted",
                expected="https://",
                hint="http is for this machine only",
                key="url",
            )
    keys = None
    if parts.username and parts.password:
        keys = SecretStr(unquote(parts.username)), SecretStr(unquote(parts.password))
    return _Address(parts.hostname, endpoint, keys)


def _is_fifo(name: str) -> bool:
    return name.endswith(".fifo")


def _code(trouble: Any) -> str:
    """The code of a refusal by SQS, without the prefix that older servers put before it."""
    return str(trouble.response.get("Error", {}).get("Code", "")).rpartition("#")[2]
