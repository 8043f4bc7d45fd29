"""Constants that were tuned by measurement; docs/tuning.md says how each was found and what happens when it moves."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class PlannerTuning:
    """How labels are shared out over rounds and strata."""

    first_share: float = 0.4
    """Part of the budget, or of what goals need, for the first of two rounds; the second follows its labels."""
    one_round_below: int = 40
    """Budgets below this are spent in one round."""
    pilot_share: float = 0.3
    """The same where goals decide without a history, and two more rounds may follow."""
    unscored_precision: float = 0.5
    """Of all that anybody calls, where a cycle's candidates are frozen in case scores say nothing."""
    unscored_recall: float = 0.5
    """The same for the part of all positives that somebody calls; the others lie anywhere."""
    pilot_labels: tuple[int, int] = (200, 1000)
    """Least and most labels of a first round that plans for margins without a history."""
    min_labels: int = 2
    """Labels of a stratum, if it has as many items: one label has no variance."""
    min_labels_for_margins: int = 4
    """Labels of a stratum in plans for margins, where no part of a budget is proportional to size."""
    small_budget: tuple[int, float] = (200, 0.4)
    large_budget: tuple[int, float] = (1000, 0.2)
    """Labels, and the part of them that is proportional to size; between the two, log-linear."""
    higher_floors: tuple[float, ...] = (0.6, 0.8, 1.0)
    """Further proportional parts among which a plan that spends a budget chooses; where nearly no item of a kind is a
    mistake, none is better than labels by size alone."""
    first_round_kept: float = 0.2
    """Part of the second round that is the first one's allocation scaled up."""
    score_ridge: float = 0.1
    """Penalty that holds the correction of scores by the first round's labels at none."""
    prior_labels: float = 20.0
    """Labels that the model's rate counts for against a stratum's own earlier labels."""
    surprise_share: float = 0.1
    """Part of the usual share of errors that is added to every cell's, so that no cell is certain."""
    pilot_variance_factor: float = 1.25
    """What variances are multiplied with in plans for margins that have no history to go by."""
    top_up_factor: float = 1.08
    top_up_factor_per_goal: float = 0.011
    top_up_goals: int = 5
    """The factor of a later round's variances, and what each goal beyond so many adds: one may fall short by chance."""
    cold_middle_factor: float = 0.8
    cold_last_factor: float = 1.3
    """What variances are multiplied with in later rounds that have no history to go by: those that others follow ask
    for less than labels say is needed, the last one for more."""
    cold_width_ratio: tuple[float, float] = (0.67, 3.0)
    """Least and most by which intervals that came out otherwise than expected move a plan without a history."""
    surprise_labels: float = 0.5
    """Labels that stand against such a surprise: with as many behind it half of its logarithm is believed."""
    cold_min_labels: int = 2
    """Labels of a stratum in plans for margins without a history, whose rounds follow one another."""
    cold_ridge: float = 1.0
    """Penalty that holds the correction of scores and calls by earlier rounds, where goals decide."""
    max_width_ratio: float = 1.5
    """Most by which intervals wider than expected widen a plan: one heavy label widens them, and labels do not help."""
    proportional_shares: tuple[float, ...] = (0.0, 0.3, 0.6)
    """Proportional parts among which a plan for margins without a history chooses the cheapest."""
    proportional_share_with_model: float = 0.15
    """The proportional part where plans take the rates of history's model as they are: it may be wrong anywhere."""
    margin_passes: int = 4
    """Plans for margins that are made before the one that counts, each with the interval widths of the one before."""
    reuse_passes: int = 3
    """Plans with new costs of labels after the first, where some labels are known."""
    min_label_cost: float = 0.05
    """Least cost of a label where most are known, as a part of a new one's."""
    cost_window: float = 0.15
    """How far around a plan's last label of a stratum its cost is read, as a part of its labels."""
    part_like_random: float = 0.75
    """A budget without goals aims at FOR as well known as by a random sample of this part of its labels."""
    few_held_to_random: tuple[int, float] = (400, 2.0)
    many_held_to_random: tuple[int, float] = (600, 1.2)
    """Labels, and by how many times a plan without a history may leave FOR wider than as many random labels would;
    between the two, log-linear. With fewer labels nothing is held."""
    unplaced_mistakes: float = 20.0
    """Up to so many misses in a random sample nobody knows where they are, and labels by size have to find them; rates
    say where twice as many are."""
    floor_held_to_random: float = 0.75
    """One more proportional part for such plans: the root of 1/.75 is 1.155."""
    focus_margin: float = 0.1
    focus_margin_of_misses: float = 0.05
    """The margin of the metric that labels follow, as a part of its own: of one of what is called positive, and of any
    other, whose labels tell as much of the other classifiers' misses."""
    focus_extra: float = 0.1
    """Labels for it on top of what the goals need, as a part of those."""


@dataclass(frozen=True)
class HistoryTuning:
    """How earlier labels are modelled, and when plans trust the model."""

    min_labels: int = 200
    """Fewer earlier labels are no history."""
    max_age: int = 30
    """Periods after which labels are not read any more."""
    slope_discount: float = 0.97
    intercept_discount: float = 0.7
    count_discount: float = 0.95
    """What a label loses of its weight with every period: for the model's slopes, its intercept, and counts."""
    slope_penalty: float = 0.5
    intercept_penalty: float = 20.0
    """Ridge of the slopes, and of the shift that lets the intercept follow the last periods."""
    grid: float = 8.0
    """Rows are pooled at steps of 1/8 of the score's logit: a fit of many thousand labels takes milliseconds."""
    trust_discount: float = 0.96
    """What a period's variance ratio loses of its weight with every later period."""
    trust_prior_periods: float = 6.0
    """Periods with a ratio of 1 that are assumed beforehand."""
    trust_at_most: float = 1.1
    doubt_above: float = 1.2
    """Discounted ratios at which trust comes back, and above which it ends."""
    surest_rate: float = 0.99
    """Certainty that a ratio allows: one mistaken label among sure ones is no verdict on the model."""


@dataclass(frozen=True)
class FollowedTuning:
    """How variances follow history where a budget is spent."""

    history_error: float = 0.3
    """How far off the variance that history expects is at a guess; the larger, the more these labels' own counts."""
    at_most: float = 1.5
    """Most that the variance may be of the one without this: few labels with a rare verdict move rates far."""


@dataclass(frozen=True)
class BorrowedTuning:
    """How variances borrow from history, and how plans for goals count on them."""

    first_error: float = 0.3
    """How far a goal's ratio of variances may be off before any period told it."""
    drift: float = 0.03
    """By how much it moves from period to period."""
    furthest: float = 2.5
    """Standard deviations that an outlier counts as."""
    own_labels: float = 1.5
    """A period's labels raise the variance above history's where they exceed it by so many standard errors."""
    surprise: float = 2.5
    """Standard errors beyond which a side's labels say that history is wrong: nothing is borrowed then."""
    turned_false: float = 0.1
    blindly_missed: float = 0.05
    times_likelier: float = 10.0
    """The breaks that labels are held against: this part of a classifier's true positives turns false, or this part of
    all positives lies blindly where nobody calls. Rates follow one that makes the labels so many times likelier.
    """
    trust_at_most: float = 1.5
    doubt_above: float = 2.0
    """Discounted variance ratios at which the model of history is borrowed from again, and above which it is not."""
    most_confidence: float = 0.95
    """The largest confidence of an interval that borrows."""
    small_sample_events: float = 8.0
    logit_events: float = 20.0
    """Effective events between which small-count intervals blend into logit ones where the variance is borrowed."""
    listed_influence: float = 0.5
    other_influence: float = 1.0
    """Most that one label may move a goal, in margins: of metrics whose items can be listed, and of others."""
    wary_influence: float = 0.35
    """The same of others for some periods after calls fell suddenly by more than a goal's margin of all positives."""
    sudden_fall: float = 2.0
    """A sudden fall of calls is so many times as large as nine in ten of the other changes."""
    wary_periods: int = 4
    """How many periods are planned so, the one of the fall included."""
    first_round: tuple[float, float] = (0.92, 0.85)
    """What the first round's variances are multiplied with where two rounds are planned, and where three are."""
    middle_round: float = 0.98
    last_round: tuple[float, float] = (1.05, 1.02)
    """The same of the round between, and of the last of two and of three."""
    more_goals: float = 0.022
    fewest_goals: int = 8
    """What each e-fold of goals beyond so many adds: the more goals, the likelier one of them falls short by chance."""
    passes: int = 3
    """Plans of a later round, each with the interval widths of the one before."""
    rounding: float = 0.35
    """Up to this part of a label a plan is rounded down."""
    rich_from: int = 3000
    """Earlier labels from which on the model has bends of its own for low scores and for what nobody calls."""


@dataclass(frozen=True)
class ForecastTuning:
    """Guesses of the rates that the range of a forecast half-width spans, and the part that is left to luck."""

    luck: tuple[float, float] = (0.5, 0.15)
    """Logarithms by which the ends of a range lie further out, the narrow and the wide one: scores are all there is."""
    luck_with_history: tuple[float, float] = (0.11, 0.11)
    """The same where rates are those of a history."""
    luck_with_tested_history: tuple[float, float] = (0.11, 0.15)
    """The same where the history's model has predicted a period that it had not seen, and is trusted."""
    fewer_positives: float = 0.3
    """What the logits of a history's rates lose in the guess with fewer positives."""
    sharper: float = 2.0
    """How many times as far the logits of scores spread where they tell the classes apart better than they say."""
    precision: float = 0.6
    recall: float = 0.8
    """What calls of all classifiers together are worth in the guess that looks at calls."""


@dataclass(frozen=True)
class SolverTuning:
    """How the fewest labels for many margins are found; these move the time, and the result by less than `gap`."""

    gap: float = 1e-6
    """Stop when the allocation is proven to cost at most this part more than the cheapest one."""
    slack: float = 1e-9
    """A limit is met when it is exceeded by this part at most: sums of many terms are not exact."""
    max_steps: int = 300
    first_steps: int = 6
    """Multiplicative steps before the first Newton step: they find out which limits bind."""
    feasible_tries: int = 12
    trust_regions: tuple[float, ...] = (100.0, 10.0, 1.0, 0.1, 0.01, 0.001)
    """How far a Newton step may change prices, in turn until the dual climbs; it has kinks where strata meet bounds."""
    faint_price: float = 1e-6
    """Prices below this part of the largest one move as if they had it."""
    fewer_part: float = 0.0015
    fewer_labels: float = 20.0
    """Rounding starts a second time with this part of the labels missing, and with no more than so many."""
    level_slope: float = 1e-9
    """A limit whose used share would exceed 1 by this much pulls at its price."""
    no_price: float = 1e-13
    """Prices below this part of the largest one are none."""


@dataclass(frozen=True)
class EvidenceTuning:
    """How evidence against a limit is gathered over windows, and how the promise about false pages is split."""

    losses: tuple[float, ...] = (0.03, 0.06, 0.12)
    """Losses of a metric that bets assume; the evidence is the mean over them."""
    wide_loss: float = 0.25
    wide_error: float = 0.08
    """A further loss, for windows whose expected standard error exceeds so much: nothing smaller can be told there."""
    part_of_largest: float = 0.9
    """Most of its evidence that one answer can take, whatever it says."""
    part_of_growth: float = 0.5
    """The part that is staked of what would make evidence grow most after the loss that is bet on."""
    steady_from: float = 0.12
    """Losses from which on a stake is a steady one."""
    surest_rate: float = 0.0001
    """Expected rates are held this far from 0 and 1."""
    widest_tilt: float = 4.0
    """Most by which the assumed loss moves the logit of a rate where a stake is chosen."""
    evidence_share: float = 0.8
    """Part of the promise that is kept for evidence over windows; one window's interval has the rest."""
    window_share: float = 0.7
    """Part of the promise of one window's interval where it stands in for evidence; the rest is for its tail."""
    suspicion: float = 20.0
    """Evidence from which a page names a metric beside its own, and labels follow one in a panel of one kind alone."""
    suspicion_of_calls: float = 150.0
    suspicion_of_misses: float = 25.0
    """Evidence from which labels follow metrics of what is called positive, and others, where a panel has both."""
    suspicion_part: float = 0.3
    """What that is at most, as a part of what a page takes; the larger of the two, and the other in proportion."""
    onset_loss: float = 0.05
    """The loss against which estimates are held where the window is looked for in which a loss began."""
    least_onset_error: float = 0.005
    """Standard error below which an estimate is no surer there."""
    onset_neighbour: float = 0.75
    """Part of its neighbours' likelihood that counts for a window there: one off by a window is nearly right."""
    onset_share: float = 0.9
    """Likelihood of the windows that may well be the first of a loss."""
    baseline_losses: tuple[float, ...] = (0.005, 0.008, 0.0125, 0.02, 0.03, 0.05, 0.08)
    """How much better than a point of its grid a baseline may have been, in what its labels are bet on."""
    baseline_windows: int = 26
    baseline_lag: int = 8
    """Windows after which a baseline does not grow any more, and how far behind the present one it grows."""
    grid_points: int = 9
    grid_reach: float = 6.0
    """Values of a baseline at which evidence is computed, over its interval at so many standard errors."""
    grid_steps: int = 32
    """Parts of the way from one of them to the next in which the smallest evidence is looked for."""


PLANNER: Final = PlannerTuning()
HISTORY: Final = HistoryTuning()
FOLLOWED: Final = FollowedTuning()
BORROWED: Final = BorrowedTuning()
FORECAST: Final = ForecastTuning()
SOLVER: Final = SolverTuning()
EVIDENCE: Final = EvidenceTuning()
