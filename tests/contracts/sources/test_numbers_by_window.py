"""Random numbers of each window anew, on every kind of source."""

from datetime import timedelta
from typing import Any

from stratawatch.core.population import NO_BIN, Atom
from stratawatch.core.random_numbers import digest
from stratawatch.engine.model.panel_spec import Columns, Window
from tests.support.predictions.backends import NAIVE, items, whole
from tests.support.predictions.panels import START, WINDOW, panel


class TestNumbersByWindow:
    BY_WINDOW = panel(random_numbers="by window")
    IDS = tuple(f"i{k}" for k in range(300))

    def test_every_engine_draws_by_seed_window_and_id(self, made: Any) -> None:
        after = Window(WINDOW.end, WINDOW.end + timedelta(days=7))
        moments = [NAIVE + timedelta(days=days) for days in (0, 7)]
        twice = items(*self.IDS, *self.IDS)
        source = made({**twice, "ts": ("TIMESTAMP", [moments[k // 300] for k in range(600)])})
        drawn = []
        for window in (WINDOW, after):
            found = source.candidates(self.BY_WINDOW, window, whole("0", 300), [20])
            seed = f"golden:{window.start.isoformat()}/{window.end.isoformat()}"
            assert [(one.digest, one.item) for one in found] == sorted((digest(seed, i), i) for i in self.IDS)[:20]
            assert found == source.candidates(self.BY_WINDOW, window, whole("0", 300), [20])
            drawn.append({one.item for one in found})
        assert len(drawn[0] & drawn[1]) < 8, "an item's number in one window says nothing of that in another"
        permanent = [source.candidates(panel(), one, whole("0", 300), [20]) for one in (WINDOW, after)]
        assert [one.item for one in permanent[0]] == [one.item for one in permanent[1]]

    def test_items_are_found_by_their_ids_whatever_their_numbers(self, made: Any) -> None:
        odd = ("it's", 'a"b', "ä ö", "A", "a", "a ")
        table = items(*odd, *self.IDS, "late")
        size = len(table["id"][1])
        table["ts"] = ("TIMESTAMP", [NAIVE] * (size - 1) + [NAIVE + timedelta(days=7)])
        table["flag"] = ("VARCHAR", [str(k % 2 == 0) for k in range(size)])
        table["lang"] = ("VARCHAR", [None if k % 3 else "de" for k in range(size)])
        spec = panel(random_numbers="by window", columns=Columns("id", "ts", ("score",), ("lang",)))
        atoms = [Atom("0", NO_BIN, 1023, 153, None, stratum=1), Atom("1", NO_BIN, 1023, 153, None, stratum=0)]
        wanted = (*odd, "i3", "i299", "late", "nobody")
        with made(table).reading(spec, WINDOW) as reading:
            reading.census()
            assert reading.items_by_id(atoms, ()) == ()
            found = reading.items_by_id(atoms, wanted)
            assert len(reading.candidates(atoms, [5, 5])) == 10
        place = {item: k for k, item in enumerate(table["id"][1])}
        assert sorted(one.item for one in found) == sorted(wanted[:-2])
        for one in found:
            assert (one.atom, one.pattern) == ((1, "1") if place[one.item] % 2 == 0 else (0, "0"))
            assert one.segments == {"lang": None if place[one.item] % 3 else "de"}
            assert (one.digest, one.payload, one.time) == (digest(spec.seed_of(WINDOW), one.item), {}, START)

    def test_items_are_found_with_what_labellers_are_shown_of_them(self, made: Any) -> None:
        """It is what they are shown of a candidate; the cluster comes last and is none of it."""
        table = {**items("a", "b", "c"), "body": ("VARCHAR", ["'x'", None, "z"]), "by": ("VARCHAR", ["u", "v", "w"])}
        spec = panel(columns=Columns("id", "ts", ("body", "score"), (), "by"))
        atoms = [Atom("0", NO_BIN, 1023, 3, None)]
        with made(table).reading(spec, WINDOW) as reading:
            found = {one.item: one.payload for one in reading.items_by_id(atoms, ("b", "a"), with_payload=True)}
            (bare,) = reading.items_by_id(atoms, ("a",))
            shown = {one.item: one.payload for one in reading.candidates(atoms, [3])}
        assert found == {item: shown[item] for item in ("a", "b")}
        assert {item: payload["body"] for item, payload in found.items()} == {"a": "'x'", "b": None}
        assert bare.payload == {}

    def test_items_outside_the_atoms_are_not_found(self, made: Any) -> None:
        source = made({**items("a", "b", "c"), "flag": ("VARCHAR", ["True", "False", "maybe"])})
        with source.reading(self.BY_WINDOW, WINDOW) as reading:
            found = reading.items_by_id([Atom("1", NO_BIN, 1023, 1, None)], ("a", "b", "c"))
        assert [one.item for one in found] == ["a"]
