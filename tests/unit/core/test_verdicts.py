import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.verdicts import Vote, resolve_votes, standing_words


def said(*words):
    """Each word by an annotator of its own: ann1, ann2, ..."""
    return [Vote(f"ann{i}", word, i) for i, word in enumerate(words, start=1)]


class TestOneVote:
    @pytest.mark.parametrize(("word", "verdict"), [("yes", "yes"), ("no", "no"), ("skip", "unresolved")])
    def test_one_word_decides(self, word, verdict):
        assert resolve_votes(said(word), votes=1) == verdict

    def test_no_event_is_no_answer_yet(self):
        assert resolve_votes([], votes=1) is None

    def test_two_annotators_who_disagree_leave_it_unresolved(self):
        assert resolve_votes(said("yes", "no"), votes=1) == "unresolved"


class TestThreeVotes:
    @pytest.mark.parametrize(
        ("words", "verdict"),
        [
            (("yes", "yes"), None),
            (("yes", "yes", "no"), "yes"),
            (("no", "yes", "no"), "no"),
            (("yes", "yes", "skip"), "yes"),
            (("yes", "skip", "skip"), "unresolved"),
            (("yes", "no", "skip"), "unresolved"),
            (("yes", "no", "skip", "no"), "no"),
            (("skip", "skip", "skip"), "unresolved"),
            (("yes", "no", "yes", "no"), "unresolved"),
        ],
    )
    def test_the_majority_of_enough_words_decides(self, words, verdict):
        assert resolve_votes(said(*words), votes=3) == verdict

    @pytest.mark.parametrize(
        ("words", "verdict"),
        [((), None), (("yes",), None), (("yes", "yes"), "yes"), (("no", "no"), "no"), (("yes", "no"), None)],
    )
    def test_in_the_end_two_alike_decide_and_two_others_do_not(self, words, verdict):
        assert resolve_votes(said(*words), votes=3, has_ended=True) == verdict


class TestEdits:
    def test_the_latest_event_of_an_annotator_counts(self):
        assert resolve_votes([Vote("ann", "yes", 1), Vote("ann", "no", 2)], votes=1) == "no"

    def test_later_means_order_and_not_position(self):
        assert resolve_votes([Vote("ann", "no", 2), Vote("ann", "yes", 1)], votes=1) == "no"

    def test_a_retraction_removes_the_annotators_word(self):
        events = [Vote("ann", "yes", 1), Vote("ann", "retract", 2)]
        assert resolve_votes(events, votes=1) is None
        assert resolve_votes([*events, Vote("bob", "no", 3)], votes=1) == "no"

    def test_a_word_after_a_retraction_counts_again(self):
        assert resolve_votes([Vote("ann", "retract", 1), Vote("ann", "yes", 2)], votes=1) == "yes"

    def test_one_annotator_cannot_cast_three_votes(self):
        assert resolve_votes([Vote("ann", "yes", i) for i in range(3)], votes=3) is None


events = st.lists(
    st.builds(Vote, st.sampled_from("abcd"), st.sampled_from(["yes", "no", "skip", "retract"]), st.integers(0, 99)),
    max_size=8,
    unique_by=lambda vote: vote.order,
)


@given(events, st.integers(1, 3), st.randoms())
def test_the_verdict_does_not_depend_on_the_order_of_delivery(words, votes, rng):
    shuffled = list(words)
    rng.shuffle(shuffled)
    assert resolve_votes(shuffled, votes) == resolve_votes(words, votes)


@given(events, st.integers(1, 3), st.sampled_from(["yes", "no", "skip"]))
def test_what_is_told_in_the_end_is_what_a_missing_vote_could_not_change(words, votes, last):
    in_the_end = resolve_votes(words, votes, has_ended=True)
    if in_the_end is not None and resolve_votes(words, votes) is None:
        missing = votes - len(standing_words(words))
        later = [Vote(f"other {number}", last, 100 + number) for number in range(missing)]
        assert resolve_votes([*words, *later], votes) == in_the_end


@given(events, st.integers(1, 3))
def test_yes_and_no_are_treated_alike(words, votes):
    turned = {"yes": "no", "no": "yes"}
    mirrored = resolve_votes([vote._replace(value=turned.get(vote.value, vote.value)) for vote in words], votes)
    verdict = resolve_votes(words, votes)
    assert mirrored == turned.get(verdict, verdict)
