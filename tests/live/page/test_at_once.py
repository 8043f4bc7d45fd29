"""People who label at the same time, each in a browser of his own."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from playwright.sync_api import sync_playwright

from tests.live.page.conftest import REST, SHOTS, chromium, wait_for_other

LATEST = 0.150
"""Seconds from a key to the next item, in 95 of 100 cases."""


def label_until_done(link):
    """Press y and n until nothing is left; what was answered, and how long each next item took."""
    items, seconds = [], []
    with sync_playwright() as driver:
        tab = chromium(driver).new_page()
        tab.goto(link)
        while shown := tab.query_selector("input[name=key]"):
            items.append(shown.get_attribute("value"))
            tab.wait_for_timeout(REST)
            begin = perf_counter()
            tab.keyboard.press("yn"[len(items) % 2])
            wait_for_other(tab, items[-1])
            seconds.append(perf_counter() - begin)
    return items, seconds


def label_at_once(page, *names):
    """What each of them answered, and the 95th percentile of all waits."""
    links = [page.link(name) for name in names]
    with ThreadPoolExecutor(len(links)) as pool:
        done = dict(zip(names, pool.map(label_until_done, links), strict=True))
    seconds = sorted(one for _, waits in done.values() for one in waits)
    return {name: items for name, (items, _) in done.items()}, seconds[int(0.95 * len(seconds))]


def payloads(count):
    return [{"text": f"Message {number}: buy cheap watches now. " * 5, "lang": "en"} for number in range(count)]


def test_two_people_label_500_items_without_loss_and_wait_for_none(serve, capsys):
    page = serve()
    page.ask(payloads(500))
    answered, wait = label_at_once(page, "ann", "ben")
    said = page.said()
    assert Counter(item for item, _, _ in said) == {f"b1-{number}": 1 for number in range(500)}
    assert Counter((item, name) for item, name, _ in said) == Counter(
        (item, name) for name, items in answered.items() for item in items
    )
    assert min(len(items) for items in answered.values()) > 100
    waits = [wait]
    # Two browsers and whatever else runs share the processors: a wait that is ours comes again, one of theirs does not.
    while min(waits) >= LATEST and len(waits) < 4:
        again = serve()
        again.ask(payloads(100))
        waits.append(label_at_once(again, "ann", "ben")[1])
    sentence = f"95% of next items within {', '.join(f'{1000 * one:.0f} ms' for one in waits)} of the key"
    SHOTS.mkdir(parents=True, exist_ok=True)
    (SHOTS / "waits.txt").write_text(f"{sentence}\n")
    with capsys.disabled():
        print(f"\n{sentence}")
    assert min(waits) < LATEST


def test_three_people_give_two_votes_to_each_item_and_nobody_two(serve):
    page = serve(votes=2)
    page.ask(payloads(40))
    label_at_once(page, "ann", "ben", "cleo")
    said = page.said()
    assert Counter(item for item, _, _ in said) == {f"b1-{number}": 2 for number in range(40)}
    assert max(Counter((item, name) for item, name, _ in said).values()) == 1
