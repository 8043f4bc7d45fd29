"""Rules that look at more than one value; each finds its mistake and leaves a right file alone."""

import pytest

from stratawatch.config.loading import load_configuration
from stratawatch.core.designs import who_plans_for_goals
from stratawatch.core.metrics import METRICS
from stratawatch.engine.model.panel_spec import AuxiliarySpec
from tests.support.configurations import PANEL, changed


def only(found: list[str]) -> str:
    assert len(found) == 1, found
    return found[0]


class TestClassifiers:
    def test_one_with_both_a_call_and_a_cut_off_is_refused(self, problem):
        assert "classifier 'lr' has both `call` and `cut_off`" in problem(
            ('call = "pred_lr"', 'call = "pred_lr"\ncut_off = 0.5')
        )

    def test_one_with_neither_is_refused(self, problem):
        assert "line 32: classifier 'rf' has neither `call` nor `cut_off`" in problem(("cut_off = 0.6\n", ""))

    def test_a_cut_off_without_a_score_is_refused(self, problem):
        found = problem(('score = "score_rf"\n', ""))
        assert "classifier 'rf' has a `cut_off` and no `score`; add score = \"column\"" in found

    @pytest.mark.parametrize("cut_off", ["0.0", "1.0", "-1.5", "60"])
    def test_a_cut_off_outside_a_probability_is_refused(self, problem, cut_off):
        assert "the cut-off of a probability is out of its range" in problem(("cut_off = 0.6", f"cut_off = {cut_off}"))

    def test_a_margin_may_be_cut_anywhere(self, write):
        spec = load_configuration(write(("cut_off = 0.6", 'cut_off = -1.5\nscore_kind = "margin"'))).panels["spam"]
        assert spec.classifiers[1].cut_off == -1.5

    def test_the_same_classifier_twice_is_refused(self, problem):
        found = problem(more='[panels.spam.classifiers.again]\nscore = "score_rf"\ncut_off = 0.6\n')
        assert "classifier 'again' is the same as 'rf'" in found

    def test_one_score_may_be_cut_twice(self, write):
        path = write(more='[panels.spam.classifiers.strict]\nscore = "score_rf"\ncut_off = 0.9\n')
        assert len(load_configuration(path).panels["spam"].classifiers) == 3

    @pytest.mark.parametrize(("written", "kept"), [('"it\'s blöck"', "it's blöck"), ("2", "2"), ("-2.5", "-2.5")])
    def test_a_value_that_means_yes_may_be_text_or_a_number(self, write, written, kept):
        spec = load_configuration(write(('call = "pred_lr"', f'call = "pred_lr"\ncall_yes = {written}'))).panels["spam"]
        assert spec.classifiers[0].call_yes == kept

    def test_a_value_that_means_yes_may_come_from_the_environment(self, write, monkeypatch):
        monkeypatch.setenv("STRATAWATCH_PANELS__SPAM__CLASSIFIERS__LR__CALL_YES", "2")
        assert load_configuration(write()).panels["spam"].classifiers[0].call_yes == "2"

    @pytest.mark.parametrize(
        ("written", "sentence"),
        [("true", "is not for booleans, which are read without it: remove it"), ('" "', "is empty")],
    )
    def test_a_value_that_means_yes_is_neither_a_boolean_nor_empty(self, problem, written, sentence):
        found = problem(('call = "pred_lr"', f'call = "pred_lr"\ncall_yes = {written}'))
        assert "'call_yes' " in found
        assert sentence in found

    def test_a_value_that_means_yes_without_a_call_is_refused(self, problem):
        found = problem(("cut_off = 0.6", 'cut_off = 0.6\ncall_yes = "block"'))
        assert "classifier 'rf' has a `call_yes` and no `call`; name the column that holds the value" in found

    def test_one_column_may_be_read_with_two_values(self, write):
        more = "".join(
            f'[panels.spam.classifiers.{name}]\ncall = "decision"\ncall_yes = "{name}"\n'
            for name in ("block", "review")
        )
        assert [one.call_yes for one in load_configuration(write(more=more)).panels["spam"].classifiers] == [
            None,
            None,
            "block",
            "review",
        ]

    def test_one_column_with_one_value_twice_is_refused(self, problem):
        more = "".join(
            f'[panels.spam.classifiers.{name}]\ncall = "decision"\ncall_yes = "block"\n' for name in ("a", "b")
        )
        assert "classifier 'b' is the same as 'a'" in problem(more=more)

    def test_a_vote_needs_no_score(self, write):
        path = write(more='[panels.spam.classifiers.vote]\ncall = "vote"\n')
        assert load_configuration(path).panels["spam"].classifiers[2].score is None


class TestAuxiliaryScores:
    JUDGE = '[panels.spam.auxiliary.judge]\nscore = "p_judge"\n'

    def test_they_stand_beside_the_classifiers(self, write):
        path = write(more=self.JUDGE + '[panels.spam.auxiliary.old]\nscore = "m"\nscore_kind = "margin"\n')
        spec = load_configuration(path).panels["spam"]
        assert spec.auxiliary == (AuxiliarySpec("judge", "p_judge"), AuxiliarySpec("old", "m", "margin"))
        assert [one.name for one in spec.classifiers] == ["lr", "rf"]

    def test_one_without_a_score_is_refused(self, problem):
        assert "panels.spam.auxiliary.judge" in problem(more="[panels.spam.auxiliary.judge]\n")

    def test_the_name_of_a_classifier_is_refused(self, problem):
        found = problem(more=self.JUDGE.replace("judge]", "rf]"))
        assert "'rf' is a classifier and an auxiliary score; rename one" in found

    def test_the_score_of_a_classifier_is_refused(self, problem):
        found = problem(more=self.JUDGE.replace("p_judge", "score_rf"))
        assert "the auxiliary score 'judge' is the score of classifier 'rf'; remove it" in found

    def test_it_never_reaches_labellers(self, problem):
        found = problem(('payload = ["text"]', 'payload = ["text", "p_judge"]'), more=self.JUDGE)
        assert "the payload shows 'p_judge', a column of auxiliary score 'judge', to labellers" in found

    def test_no_goal_or_limit_is_for_one(self, problem):
        assert "there is no classifier 'judge'" in problem(
            ('classifiers = ["lr"]', 'classifiers = ["judge"]'), more=self.JUDGE
        )


class TestDeployments:
    def test_of_a_classifier_that_is_not_there_are_refused(self, problem):
        more = '[[panels.spam.deployments]]\nat = 2026-02-16T09:00:00Z\nwhat = "lr 2.3"\nclassifier = "lrr"\n'
        assert "there is no classifier 'lrr'; did you mean 'lr'?" in problem(more=more)


class TestGoalsForNobody:
    def test_an_empty_of_is_refused(self, problem):
        """It would read as none and mean all."""
        found = problem(('classifiers = ["lr"]', "classifiers = []"))
        assert "is for no classifier; without `classifiers` the " in found


class TestPayload:
    @pytest.mark.parametrize("column", ["score_lr", "pred_lr", "SCORE_RF"])
    def test_scores_and_calls_never_reach_labellers(self, problem, column):
        found = problem(('payload = ["text"]', f'payload = ["text", "{column}"]'))
        assert found.startswith("panels.spam.columns.payload[2], line 21: the payload shows")
        assert "people label blind" in found

    def test_a_column_listed_twice_is_refused(self, problem):
        assert "'Text' is listed twice" in problem(('payload = ["text"]', 'payload = ["text", "Text"]'))

    def test_item_and_time_are_different_columns(self, problem):
        assert "'id' is both the item and the time" in problem(('time = "at"', 'time = "id"'))


class TestSpending:
    GOALS = '[[panels.spam.goals]]\nmetric = "precision"\nmargin = 0.05\n\n'

    def test_the_budget_is_spent_unless_the_goals_decide(self, write):
        assert load_configuration(write()).panels["spam"].stop_rule == "budget"
        spec = load_configuration(write(("budget = 120", 'budget = 120\nstop_rule = "goals"'))).panels["spam"]
        assert (spec.stop_rule, spec.budget) == ("goals", 120)

    def test_goals_that_decide_must_be_there(self, problem):
        found = problem(("budget = 120", 'budget = 120\nstop_rule = "goals"'), (self.GOALS, ""))
        assert found == (
            'panels.spam.stop_rule, line 12: stop_rule = "goals" needs to know when to stop; expected at least one goal; '
            'got none; add one, or stop_rule = "budget"'
        )

    def test_without_goals_the_budget_may_be_spent_all_the_same(self, write):
        assert load_configuration(write((self.GOALS, ""))).panels["spam"].goals == ()

    def test_another_word_is_refused(self, problem):
        found = problem(("budget = 120", 'budget = 120\nstop_rule = "all"'))
        assert "'stop_rule' is not known; expected budget or goals; got all" in found

    def test_a_design_is_chosen_by_name(self, write, problem):
        assert load_configuration(write()).panels["spam"].design == "joint"
        assert (
            load_configuration(write(("budget = 120", 'budget = 120\ndesign = "srs"'))).panels["spam"].design == "srs"
        )
        assert "'design' is not known; expected joint" in problem(("budget = 120", 'budget = 120\ndesign = "random"'))

    def test_a_variance_is_chosen_by_name(self, write, problem):
        assert load_configuration(write()).panels["spam"].variance == "default"
        assert (
            load_configuration(write(("budget = 120", 'budget = 120\nvariance = "brr"'))).panels["spam"].variance
            == "brr"
        )
        found = problem(("budget = 120", 'budget = 120\nvariance = "jackknife"'))
        assert "'variance' is not known; expected default or labels or brr" in found

    def test_options_are_those_of_the_design(self, problem):
        found = problem(("[panels.spam.source]", "[panels.spam.options]\nbins = 3\n\n[panels.spam.source]"))
        assert "panels.spam.options" in found
        assert "design = 'joint' has no option 'bins'; expected no options" in found

    def test_a_design_that_does_not_know_when_goals_hold_spends_its_budget(self, problem):
        found = problem(("budget = 120", 'budget = 120\nstop_rule = "goals"\ndesign = "srs"'))
        assert found == (
            'panels.spam.design, line 13: design = "srs" does not know how many labels goals need; '
            f'expected stop_rule = "budget"; got stop_rule = "goals"; {who_plans_for_goals()}'
        )


class TestGoalsAndLimits:
    def test_an_unknown_classifier_is_refused_with_the_one_that_was_meant(self, problem):
        found = problem(('classifiers = ["lr"]', 'classifiers = ["lrr"]'))
        assert (
            found == "panels.spam.limits[1].classifiers[1], line 43: there is no classifier 'lrr'; did you mean 'lr'?"
        )

    def test_a_floor_for_a_metric_whose_small_values_are_good_is_refused(self, problem):
        found = problem(more='[[panels.spam.limits]]\nmetric = "false_omission_rate"\nfloor = 0.1\n')
        assert "a floor is no limit of false_omission_rate; expected a ceiling; small values of it are good" in found

    def test_a_ceiling_for_a_metric_whose_large_values_are_good_is_refused(self, problem):
        assert "a ceiling is no limit of precision" in problem(("floor = 0.8", "ceiling = 0.8"))

    def test_a_limit_without_a_bound_is_refused(self, problem):
        assert "the limit has no bound" in problem(("floor = 0.8\n", ""))

    @pytest.mark.parametrize("bound", ["0.0", "1.0"])
    def test_a_bound_that_says_nothing_is_refused(self, problem, bound):
        expected = "more than 0" if bound == "0.0" else "less than 1"
        assert f"'floor' is out of its range; expected {expected}" in problem(("floor = 0.8", f"floor = {bound}"))

    def test_a_largest_drop_stands_beside_a_bound_or_instead_of_one(self, write):
        (limit,) = load_configuration(write(("floor = 0.8", "floor = 0.8\nmax_drop = 0.02"))).panels["spam"].limits
        assert (limit.floor, limit.max_drop) == (0.8, 0.02)
        (limit,) = load_configuration(write(("floor = 0.8", "max_drop = 0.02"))).panels["spam"].limits
        assert (limit.floor, limit.max_drop) == (None, 0.02)

    @pytest.mark.parametrize("bound", ["0.0", "1"])
    def test_a_largest_drop_that_says_nothing_is_refused(self, problems, bound):
        found = problems(("floor = 0.8", f"max_drop = {float(bound)}"))
        expected = "more than 0" if bound == "0.0" else "less than 1"
        assert f"'max_drop' is out of its range; expected {expected}" in only(found)

    @pytest.mark.parametrize("metric", ["f1", "prevalence"])
    def test_a_largest_drop_of_what_has_no_baseline_is_refused(self, problem, metric):
        limit = f'[[panels.spam.limits]]\nmetric = "{metric}"\nmax_drop = 0.1\n'
        assert f"there are no baselines of {metric}; expected max_drop of precision, recall" in problem(more=limit)

    def test_a_second_limit_of_the_same_stream_is_refused(self, problem):
        found = problem(more='[[panels.spam.limits]]\nmetric = "precision"\nfloor = 0.7\n')
        assert "precision of 'lr' has a limit already, number 1" in found

    def test_the_same_metric_may_have_a_limit_in_a_segment(self, write):
        more = '[[panels.spam.limits]]\nmetric = "precision"\nfloor = 0.7\nsegment = "country=DE"\n'
        assert len(load_configuration(write(more=more)).panels["spam"].limits) == 2

    def test_a_segment_of_a_column_that_is_not_reported_is_refused(self, problem):
        found = problem(("floor = 0.8", 'floor = 0.8\nsegment = "contry=DE"'))
        assert "'contry' is not among the columns in `segments`; did you mean 'country'?" in found

    def test_a_segment_without_a_value_is_refused(self, problem):
        assert "written column=value" in problem(("floor = 0.8", 'floor = 0.8\nsegment = "country"'))

    @pytest.mark.parametrize("metric", METRICS)
    def test_the_configuration_knows_the_metrics_that_the_statistics_know(self, write, metric):
        bound = "ceiling" if METRICS[metric].lower_is_better else "floor"
        limit = f'[[panels.spam.limits]]\nmetric = "{metric}"\n{bound} = 0.7\nsegment = "country=DE"\n'
        assert load_configuration(write(more=limit)).panels["spam"].limits[-1].metric == metric


class TestPanel:
    def test_a_budget_that_cannot_serve_the_panel_is_refused(self, problem):
        found = problem(("budget = 120", "budget = 11"))
        assert "the budget is too small for this panel; expected at least 12 for 2 classifiers; got 11" in found

    def test_second_votes_beside_several_votes_of_everybody_are_refused(self, problem):
        assert "3 votes already" in problem(
            ("budget = 120", 'budget = 120\nvotes = 3\nsecond_votes = "called_negative_yes"')
        )

    def test_an_even_number_of_votes_is_refused(self, problem):
        assert "can tie" in problem(("budget = 120", "budget = 120\nvotes = 2"))

    @pytest.mark.parametrize("other", ["nobody", "spam"])
    def test_items_are_those_of_a_panel_that_has_its_own(self, problem, other):
        found = problem(("budget = 120", f'budget = 120\nsame_items_as = "{other}"'))
        assert f"is no panel that has items of its own: '{other}'" in found

    @pytest.mark.parametrize(
        ("change", "is_said"),
        [
            (("", ""), True),
            (("budget = 120", 'budget = 120\nsame_items_as = "spam"'), False),
            (('question = "Is it spam?"', 'question = "Is it a scam?"'), False),
            (('path = "predictions/*.parquet"', 'path = "others/*.parquet"'), False),
        ],
    )
    def test_people_who_would_be_asked_twice_are_noticed(self, write, change, is_said):
        second = changed(PANEL.replace("panels.spam", "panels.scam"), change)
        notices = load_configuration(write(more=f"\n{second}")).notices
        told = "people are asked the same question about the same items for 'spam' and for 'scam'"
        assert [told in str(one) and "panels.scam" in str(one) for one in notices] == [True] * is_said

    def test_more_votes_than_label_studio_asks_for_are_refused(self, problem):
        queue = 'root = "queue"\nkind = "label_studio"\nurl = "https://labels.example.org"\ntoken = "${env:TOKEN}"'
        found = problem(("budget = 120", "budget = 120\nvotes = 3"), ('root = "queue"', queue))
        assert "asks fewer people about an item than the panel needs votes; expected at most 1; got 3" in found
        assert "write votes = 3 in [queue] too" in found

    def test_two_guidelines_are_refused(self, problem, tmp_path):
        (tmp_path / "g.md").write_text("x")
        found = problem(("budget = 120", 'budget = 120\nguideline_file = "g.md"'))
        assert "there is a `guideline` and a `guideline_file`" in found

    def test_no_guideline_is_refused(self, problem):
        assert "'guideline' is missing" in problem(('guideline = "Spam is what nobody asked for."\n', ""))

    def test_a_guideline_that_cannot_be_read_is_refused(self, problem):
        found = problem(('guideline = "Spam is what nobody asked for."', 'guideline_file = "g.md"'))
        assert "the guideline cannot be read; got No such file" in found


class TestFolders:
    @pytest.mark.parametrize(
        ("old", "new", "place"),
        [
            ('root = "queue"', 'root = "../queue"', "queue.root, line 5"),
            ('root = "queue"', 'root = "/srv/queue"', "queue.root, line 5"),
            ('path = "predictions/*.parquet"', 'path = "../p/*.parquet"', "panels.spam.source.path, line 16"),
            ('path = "predictions/*.parquet"', 'path = "/data/*.parquet"', "panels.spam.source.path, line 16"),
            ("sqlite:///stratawatch.db", "sqlite:///../stratawatch.db", "store.url, line 2"),
            ("sqlite:///stratawatch.db", "sqlite:////srv/stratawatch.db", "store.url, line 2"),
            (
                'guideline = "Spam is what nobody asked for."',
                'guideline_file = "/etc/hosts"',
                "panels.spam.guideline_file",
            ),
        ],
    )
    def test_a_path_that_leaves_the_folder_is_refused(self, problem, old, new, place):
        found = problem((old, new))
        assert found.startswith(place)
        assert "leads out of the folder of the configuration" in found or "line 2: the store's file leads out" in found

    def test_a_link_that_leaves_the_folder_is_refused(self, problem, tmp_path):
        (tmp_path / "queue").symlink_to(tmp_path.parent)
        assert "queue.root, line 5: 'root' leads out" in problem()

    def test_a_source_may_leave_it_when_it_says_so(self, write):
        path = write(('path = "predictions/*.parquet"', 'path = "/data/*.parquet"\nallow_outside = true'))
        assert load_configuration(path).panels["spam"].source == "files: /data/*.parquet"

    def test_nothing_else_may(self, problems):
        assert any("no key 'allow_outside'" in text for text in problems(('root = "queue"', "allow_outside = true")))

    def test_the_queue_does_not_share_the_folder_of_everything(self, problem):
        assert "the queue needs a folder of its own" in problem(('root = "queue"', 'root = "."'))

    def test_reports_do_not_lie_where_labellers_look(self, problem):
        assert "open to labellers" in problem(more='[report]\nfolder = "queue/reports"\n')
