"""What a column's name says about what is in it."""

import re
from collections.abc import Iterable
from typing import Final

from stratawatch.answer_words import NO, YES


def word_set(words: str) -> frozenset[str]:
    """Words with blanks between them, as a set."""
    return frozenset(words.split())


SCORE: Final = word_set(
    "score scores prob probs proba probas probability probabilities p logit logits margin confidence likelihood risk"
)
MARGIN: Final = frozenset({"logit", "logits", "margin"})
CALL: Final = word_set(
    "pred preds predicted prediction predictions call called decision flag flagged blocked hat yhat verdict said says"
)
TRUTH: Final = word_set("label labels labelled labeled annotation annotated target outcome y answer class is has was")
SURE_TRUTH: Final = word_set(
    "true truth actual gold groundtruth gt human reviewed confirmed chargeback ytrue truelabel"
)
_DROPPED: Final = (SCORE - {"risk", "confidence"}) | CALL | {"label", "labels", "y", "class", "is", "raw", "model"}
TIME: Final = (
    frozenset({"scored", "predicted", "inferred", "prediction", "inference"}),
    frozenset({"ts", "timestamp", "time", "datetime", "at", "event"}),
    frozenset({"created", "sent", "posted", "date", "day", "when"}),
)
"""Words of a time, those of the time that windows should go by first."""
NO_EVENT_TIME: Final = word_set(
    "ingested loaded updated modified processed exported synced arrived birth dob expires deleted labelled labeled "
    "reviewed"
)
ITEM: Final = frozenset({"id", "key", "uuid", "guid", "pk", "item", "ids"})
SPOKEN: Final = word_set(
    "text message msg body title subject comment content description review question prompt query document post tweet "
    "caption transcript summary url link image photo"
)
"""Words of what a person can look at to decide."""
SLICE: Final = word_set(
    "country region lang language locale market platform device channel source tier category segment site city state "
    "gender age type kind surface product"
)
"""Words of what numbers are reported by."""
TIME_PART: Final = word_set("period week day date month year hour batch fold split chunk partition run quarter dt")
SCORER: Final = word_set("model classifier detector scorer algorithm predictor estimator")
"""Words of the column of a long table that says whose row it is."""
_YES: Final = word_set(
    "yes true 1 pos positive spam toxic fraud fraudulent scam abuse abusive bad block blocked flag flagged reject "
    "rejected deny denied unsafe malicious churn churned hate harmful nsfw phishing violation remove match"
)
_NO: Final = word_set(
    "no false 0 -1 neg negative ham ok okay allow allowed pass passed good safe benign legit legitimate clean none "
    "normal other keep accept accepted approve approved genuine nonspam harmless retain"
)
_NOT: Final = frozenset({"not", "non", "no", "un"})


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case.

    >>> words_of("scoreLR-2"), words_of("p_not_spam")
    (('score', 'lr', '2'), ('p', 'not', 'spam'))
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return tuple(word for word in re.split(r"[\W_]+", apart.lower()) if word)


def has_word(name: str, words: Iterable[str]) -> bool:
    """Whether one of a name's words is among these."""
    return not set(words_of(name)).isdisjoint(words)


def stem(name: str) -> str:
    """What is left of a name without the words that say what the column is for: whose it is.

    >>> stem("score_lr"), stem("LR.pred"), stem("y_pred"), stem("is_spam")
    ('lr', 'lr', '', 'spam')
    """
    return "_".join(word for word in words_of(name) if word not in _DROPPED)


def plain_name(text: str, otherwise: str) -> str:
    """A name as keys and folders take it.

    >>> plain_name("Spam (new)", "model"), plain_name("спам", "model")
    ('spam_new', 'model')
    """
    plain = re.sub(r"[^a-z0-9_-]+", "_", text.lower()).strip("_-")[:50].strip("_-")
    return plain or otherwise


def says_yes(value: str) -> bool | None:
    """Whether a word means yes or no; None where that cannot be told.

    >>> says_yes("SPAM"), says_yes("not_spam"), says_yes("ham"), says_yes("blue")
    (True, False, False, None)
    >>> says_yes("1.0"), says_yes("0.0")
    (True, False)
    """
    whole = value.strip().lower()
    if whole in YES or whole in NO:
        return whole in YES
    words = words_of(value) or (value.strip(),)
    if len(words) > 1 and words[0] in _NOT:
        return False
    if value.strip() in _NO or not _NO.isdisjoint(words):
        return False
    return True if not _YES.isdisjoint(words) else None


def spoken(name: str) -> str:
    """A name as words in a sentence."""
    return " ".join(words_of(name)) or name
