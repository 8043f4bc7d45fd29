"""Numbers and times as people read them: in sentences, tables, pages and on the terminal.

One rule gives the decimals of a percentage. An estimate, its interval and what stands beside it (a limit, a baseline,
a change) have the decimals that the interval's half-width deserves: one from half a point on, two from a twentieth of a
point on, else three. A share without an interval has one decimal from 10% on and two below, and 0% and 100% have none.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from math import floor, log10

READ_AS = "Read a row as: "
"""Before the sentence that says how to read a table."""


def decimals(half_width: float) -> int:
    """The decimals of a percentage that an interval of this half-width deserves."""
    return 1 if half_width >= 0.005 else 2 if half_width >= 0.0005 else 3


def percent(value: float, half_width: float | None = None) -> str:
    """A share in percent; `half_width` is that of the interval beside it.

    >>> percent(0.8123), percent(0.0123), percent(1.0), percent(0.0123, half_width=0.01)
    ('81.2%', '1.23%', '100%', '1.2%')
    """
    if half_width is not None:
        return f"{points(value, half_width)}%"
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    return f"{value:.1%}" if value >= 0.1 else f"{value:.2%}"


def limit_percent(limit: float, half_width: float) -> str:
    """A limit in percent beside an interval: one that is no 0% is not shown as one, however wide that is.

    >>> limit_percent(0.3, 0.02), limit_percent(0.000001, 0.02), limit_percent(0.9999996, 0.02)
    ('30.0%', '0.0001%', '99.99996%')
    """
    text = percent(limit, half_width)
    if float(text[:-1]) not in (0.0, 100.0) or limit in (0.0, 1.0):
        return text
    return f"{f'{100 * limit:.10f}'.rstrip('0')}%"


def points(value: float, half_width: float) -> str:
    """A share or a difference of shares in points, without a sign for zero.

    >>> points(0.031, 0.02), points(-0.0004, 0.001), points(-0.00001, 0.02)
    ('3.1', '-0.04', '0.0')
    """
    text = f"{100 * value:.{decimals(half_width)}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed_points(change: float, half_width: float | None = None) -> str:
    """A change of a share in percentage points, with its sign.

    >>> signed_points(-0.123, 0.02), signed_points(0.0004), signed_points(0.0)
    ('−12.3 pts', '+0.04 pts', '±0.0 pts')
    """
    text = points(abs(change), (abs(change) * 5 or 1.0) if half_width is None else half_width)
    return f"±{text} pts" if float(text) == 0 else f"{'+' if change > 0 else '−'}{text} pts"


def exact_points(share: float) -> str:
    """A share that somebody set, or an axis shows, in points: the digits that it has, four at most.

    >>> exact_points(0.02), exact_points(0.0025)
    ('2', '0.25')
    """
    return f"{100 * share:.4g}"


def whole_percent(share: float) -> str:
    """A share in whole percent, where no more matters.

    >>> whole_percent(0.1249)
    '12%'
    """
    return f"{share:.0%}"


def score_text(score: float | None, decimals: int = 3) -> str:
    """A score between 0 and 1; empty without one.

    >>> score_text(0.25), score_text(0.99951, decimals=4), score_text(None)
    ('0.250', '0.9995', '')
    """
    return "" if score is None else f"{score:.{decimals}f}"


def shortest(number: float) -> str:
    """A number on an axis, in the digits that it has, four at most.

    >>> shortest(0.001), shortest(0.9999)
    ('0.001', '0.9999')
    """
    return f"{number:.4g}"


def interval_text(low: float, high: float) -> str:
    """An interval in percent.

    >>> interval_text(0.75, 0.85), interval_text(0.0112, 0.0118)
    ('75.0% to 85.0%', '1.120% to 1.180%')
    """
    half_width = (high - low) / 2
    return f"{percent(low, half_width)} to {percent(high, half_width)}"


def estimate_text(value: float, low: float, high: float, confidence: float | None = None) -> str:
    """A value with its interval and, if given, the interval's confidence.

    >>> estimate_text(0.712, 0.66, 0.76, 0.95), estimate_text(0.712, 0.66, 0.76)
    ('71.2% (66.0 to 76.0, 95%)', '71.2% (66.0 to 76.0)')
    """
    half_width = (high - low) / 2
    ends = f"{points(low, half_width)} to {points(high, half_width)}"
    level = "" if confidence is None else f", {confidence_text(confidence)}"
    return f"{percent(value, half_width)} ({ends}{level})"


def estimate_in_words(name: str, value: float, low: float, high: float, confidence: float, labels: int) -> str:
    """An estimate as a sentence that says how to read its row of a table.

    >>> estimate_in_words("precision of lr", 0.712, 0.66, 0.76, 0.95, 185)
    'the precision of lr is 71.2%, with 95% certainty between 66.0% and 76.0%, from 185 labels'
    """
    half_width = (high - low) / 2
    ends = f"between {percent(low, half_width)} and {percent(high, half_width)}"
    sure = f"with {confidence_text(confidence)} certainty {ends}"
    return f"the {name} is {percent(value, half_width)}, {sure}, from {count_text(labels, 'label')}"


def confidence_text(confidence: float) -> str:
    """A confidence with as many digits as distinguish it from certainty.

    >>> confidence_text(0.95), confidence_text(0.99519), confidence_text(0.999999)
    ('95%', '99.52%', '99.9999%')
    """
    digits = max(0, 1 - floor(log10(100 * (1 - confidence))))
    text = f"{100 * confidence:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def count(number: float) -> str:
    """A whole number with separators.

    >>> count(12809.2)
    '12,809'
    """
    return f"{number:,.0f}"


def about_count(number: float) -> str:
    """A count that is estimated: three digits, as nobody knows more.

    >>> about_count(1856.4), about_count(22_345), about_count(81.6)
    ('1,860', '22,300', '82')
    """
    digits = len(f"{abs(round(number))}")
    return count(round(number, min(3 - digits, 0)))


def evidence_text(evidence: float) -> str:
    """Evidence as people read it: beyond a million nobody is surer.

    >>> evidence_text(530.4), evidence_text(4.2e16)
    ('530', 'over 1,000,000')
    """
    return "over 1,000,000" if evidence > 1_000_000 else count(round(evidence))


def count_text(number: int, word: str, many: str = "") -> str:
    """A counted noun.

    >>> count_text(1, "batch", "batches"), count_text(2000, "item")
    ('1 batch', '2,000 items')
    """
    return f"{count(number)} {word if number == 1 else many or word + 's'}"


def this_window(unit: str, *, is_newest: bool) -> str:
    """What a window is called in a sentence, of panels whose windows are each a `unit`.

    >>> this_window("week", is_newest=True), this_window("week", is_newest=False)
    ('this week', 'that week')
    """
    return f"{'this' if is_newest else 'that'} {unit}"


def age_text(age: timedelta) -> str:
    """How long ago something was, in hours, and from three days on in days.

    >>> age_text(timedelta(hours=5.7)), age_text(timedelta(days=9.2))
    ('5 hours', '9 days')
    """
    hours = int(age.total_seconds() // 3600)
    return count_text(hours, "hour") if hours < 72 else count_text(hours // 24, "day")


def length_text(length: timedelta) -> str:
    """A length of time in the largest unit that gives a whole number.

    >>> [length_text(timedelta(hours=hours)) for hours in (168, 36, 0.5)]
    ['7 days', '36 hours', '30 minutes']
    """
    units = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
    seconds = round(length.total_seconds())
    size, word = next(((size, word) for size, word in units if seconds % size == 0), units[-1])
    return count_text(seconds // size, word)


def first_line(text: str) -> str:
    r"""The first line of an error's message that is not empty.

    >>> first_line(" out of memory\nin line 3"), first_line("")
    ('out of memory', 'no reason')
    """
    return (text.strip().splitlines() or ["no reason"])[0]


def shortened(text: str, most: int) -> str:
    """A text cut after so many characters.

    >>> shortened("abcdef", 4), shortened("abcd", 4)
    ('abcd...', 'abcd')
    """
    return text if len(text) <= most else f"{text[:most]}..."


def printable(text: str) -> str:
    """A text with control characters as blanks: names come from data and could repaint the terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def did_you_mean(wrong: str, names: Iterable[str], otherwise: str = "") -> str:
    """A hint at the name that was meant; another hint where none is near.

    >>> did_you_mean("scroe", ["label", "score"]), did_you_mean("x", ["label"], "see the list")
    ("did you mean 'score'?", 'see the list')
    >>> did_you_mean("score_LR", ["score_rf", "score_lr"])
    "did you mean 'score_lr'?"
    """
    known = list(names)
    near = [name for name in known if name.casefold() == wrong.casefold()] or get_close_matches(wrong, known, n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def capitalised(text: str) -> str:
    """A text with a capital first letter; the rest keeps its case, which names need."""
    return text[:1].upper() + text[1:]


def minute(moment: datetime) -> str:
    """A moment to the minute, in UTC.

    >>> minute(datetime(2026, 1, 5, 6, tzinfo=UTC))
    '2026-01-05 06:00'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"


def minute_with_offset(moment: datetime) -> str:
    """A moment to the minute, with its offset from UTC."""
    text = f"{moment:%Y-%m-%d %H:%M %z}"
    return f"{text[:-2]}:{text[-2:]}"


def truth_text(panel: str, source: str, statements: int, yes: int, newest_at: datetime) -> str:
    """How much truth came by itself, of whom, and what for.

    >>> truth_text("cards", "chargeback", 2000, 1990, datetime(2026, 1, 5, 6, tzinfo=UTC))
    'truth of cards: 2,000 statements by chargeback, 1,990 yes, until 2026-01-05 06:00; for plans and warnings only'
    """
    number = count_text(statements, "statement")
    until = f"{minute(newest_at)}; for plans and warnings only"
    return f"truth of {panel}: {number} by {source}, {yes:,} yes, until {until}"


def day(moment: datetime) -> str:
    """A moment as a day where it is midnight, else to the minute.

    >>> day(datetime(2026, 1, 5, tzinfo=UTC)), day(datetime(2026, 1, 5, 6, tzinfo=UTC))
    ('2026-01-05', '2026-01-05 06:00')
    """
    return f"{moment:%Y-%m-%d}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%Y-%m-%d %H:%M}"


def span_text(start: datetime, end: datetime) -> str:
    """A half-open span of time: days where it begins and ends at midnight, else to the minute.

    >>> span_text(datetime(2026, 1, 5), datetime(2026, 1, 12)), span_text(datetime(2026, 1, 5, 6), datetime(2026, 1, 6))
    ('2026-01-05 to 2026-01-12', '2026-01-05 06:00 to 2026-01-06 00:00')
    """
    midnight = (start.hour, start.minute, end.hour, end.minute) == (0, 0, 0, 0)
    pattern = "%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M"
    return f"{start:{pattern}} to {end:{pattern}}"
