"""Who answers the items of an installation, by the kind of its queue."""

from pathlib import Path

from benchmarks.chaos.annotator import Annotator, in_folder
from benchmarks.chaos.brokers import BrokerAnnotator, BrokerPlace
from benchmarks.chaos.label_studio import STUDIO_USER, StudioAnnotator, StudioPlace
from benchmarks.chaos.places import SERVICE, BookPlace, ServicePlace
from benchmarks.chaos.web_annotators import PageAnnotator, ServiceAnnotator
from benchmarks.chaos.world import BROKER, LABEL_STUDIO
from stratawatch.adapters.queues.broker import BrokerBook
from stratawatch.adapters.queues.label_studio_book import LabelStudioBook
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.adapters.queues.webhook_book import WebhookBook


def annotator(queue: str, folder: Path, run: str) -> Annotator:
    """Who answers an installation's items."""
    root = folder / "queue"
    if queue == "page":
        return PageAnnotator(BookPlace(root / PageBook.file), root / "in")
    if queue == "webhook":
        place = ServicePlace(root / WebhookBook.file, folder.with_name(SERVICE), run)
        return ServiceAnnotator(place, root / "in")
    if queue == BROKER:
        return BrokerAnnotator(BrokerPlace(root / BrokerBook.file, run), root / "in")
    if queue == LABEL_STUDIO:
        return StudioAnnotator(StudioPlace(root / LabelStudioBook.file), root / "in", STUDIO_USER)
    return in_folder(root)
