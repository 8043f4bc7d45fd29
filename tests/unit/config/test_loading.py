"""A file becomes the engine's records, or a list of everything that is wrong with it."""

from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.queues import QueueSettings
from stratawatch.adapters.sources import SourceSettings
from stratawatch.config.loading import load_configuration
from stratawatch.config.problems import ConfigProblems
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Segment
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, WindowRule
from stratawatch.errors import ConfigError


class TestARightConfiguration:
    def test_becomes_the_panel_that_the_engine_works_with(self, write):
        panels = load_configuration(write()).panels
        assert panels == {
            "spam": PanelSpec(
                name="spam",
                question="Is it spam?",
                guideline="Spam is what nobody asked for.",
                seed="s1",
                classifiers=(
                    ClassifierSpec("lr", "score_lr", "probability", "pred_lr", None),
                    ClassifierSpec("rf", "score_rf", "probability", None, 0.6),
                ),
                columns=Columns("id", "at", ("text",), ("country",), None),
                windows=WindowRule(datetime(2026, 1, 5, tzinfo=UTC), timedelta(days=7), timedelta(0)),
                goals=(Goal("precision", 0.05),),
                limits=(Limit("precision", floor=0.8, classifiers=("lr",)),),
                budget=120,
                deadline=timedelta(days=3),
                source="files: predictions/*.parquet",
            )
        }

    def test_turns_a_start_with_another_offset_into_utc(self, write):
        spec = load_configuration(write(("2026-01-05T00:00:00Z", "2026-01-05T02:00:00+02:00"))).panels["spam"]
        assert spec.windows.start == datetime(2026, 1, 5, tzinfo=UTC)
        assert spec.windows.start.tzinfo is UTC

    def test_reads_a_limit_inside_a_segment(self, write):
        spec = load_configuration(write(("floor = 0.8", 'floor = 0.8\nsegment = "country=DE=x"'))).panels["spam"]
        assert spec.limits[0].segment == Segment("country", "DE=x")

    def test_reads_the_guideline_from_a_file(self, write, tmp_path):
        (tmp_path / "guide.md").write_text("Look twice.\n")
        path = write(('guideline = "Spam is what nobody asked for."', 'guideline_file = "guide.md"'))
        assert load_configuration(path).panels["spam"].guideline == "Look twice."

    def test_resolves_the_stores_file_beside_itself(self, write, tmp_path, monkeypatch):
        path = write()
        monkeypatch.chdir("/")
        assert load_configuration(path).store_url().get_secret_value() == f"sqlite:///{tmp_path}/stratawatch.db"


class TestShapes:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            (
                "budget = 120",
                'budget = "120"',
                "panels.spam.budget, line 11: 'budget' has the wrong type; expected a whole number; got '120'",
            ),
            (
                "budget = 120",
                "budget = 2.5",
                "panels.spam.budget, line 11: 'budget' has the wrong type; expected a whole number; got 2.5",
            ),
            (
                "budget = 120",
                "budget = true",
                "panels.spam.budget, line 11: 'budget' has the wrong type; expected a whole number; got true",
            ),
            (
                "budget = 120",
                "budget = 2000000000",
                "panels.spam.budget, line 11: 'budget' is out of its range; expected at most 1000000; got 2000000000",
            ),
            (
                "margin = 0.05",
                "margin = 5",
                (
                    "panels.spam.goals[1].margin, line 38: 'margin' is out of its range; expected at most 0.5; got 5; "
                    "write 0.05 for 5 points"
                ),
            ),
            (
                "margin = 0.05",
                "margin = 60",
                "panels.spam.goals[1].margin, line 38: 'margin' is out of its range; expected at most 0.5; got 60",
            ),
            (
                "floor = 0.8",
                "floor = 80",
                (
                    "panels.spam.limits[1].floor, line 42: 'floor' is out of its range; expected less than 1.0; got 80; "
                    "write 0.8 for 80%"
                ),
            ),
            (
                "floor = 0.8",
                "max_drop = 2.5",
                (
                    "panels.spam.limits[1].max_drop, line 42: 'max_drop' is out of its range; expected less than 1.0; "
                    "got 2.5; write 0.025 for 2.5 points"
                ),
            ),
            (
                "floor = 0.8",
                'floor = "80%"',
                (
                    "panels.spam.limits[1].floor, line 42: 'floor' has the wrong type; expected a number; got '80%'; "
                    "write 0.8 for '80%'"
                ),
            ),
            (
                "budget = 120",
                "budget = 120\nmax_bad_row_share = 5",
                (
                    "panels.spam.max_bad_row_share, line 12: 'max_bad_row_share' is out of its range; "
                    "expected less than 1.0; got 5; write 0.05 for 5%"
                ),
            ),
            (
                "margin = 0.05",
                "margin = nan",
                "panels.spam.goals[1].margin, line 38: 'margin' has the wrong type; expected a finite number; got nan",
            ),
            (
                'metric = "precision"',
                'metric = "precison"',
                (
                    "panels.spam.goals[1].metric, line 37: 'metric' is not known; expected "
                    f"{' or '.join(METRICS)}; got precison; did you mean 'precision'?"
                ),
            ),
            (
                'question = "Is it spam?"',
                'qestion = "Is it spam?"',
                "panels.spam.qestion, line 8: there is no key 'qestion'; did you mean 'question'?",
            ),
            ("[queue]", "[qeue]", "qeue, line 4: there is no key 'qeue'; did you mean 'queue'?"),
            (
                'deadline = "3d"',
                'deadline = "3 days"',
                (
                    "panels.spam.deadline, line 12: 'deadline' is not a length of time; "
                    'write "90m", "2h", "3d" or "1w"; got \'3 days\''
                ),
            ),
            (
                'deadline = "3d"',
                'deadline = "0d"',
                "panels.spam.deadline, line 12: 'deadline' must be longer than nothing; got '0d'",
            ),
            (
                "2026-01-05T00:00:00Z",
                "2026-01-05T00:00:00",
                (
                    "panels.spam.schedule.start, line 25: 'start' has no offset from UTC; "
                    "write 2026-01-05T00:00:00Z; got 2026-01-05 00:00:00"
                ),
            ),
            ('seed = "s1"', 'seed = " "', "panels.spam.seed, line 10: 'seed' is empty; got ' '"),
            (
                'kind = "files"',
                'kind = "flies"',
                (
                    "panels.spam.source.kind, line 15: 'kind' is not known; "
                    "expected "
                    f"{' or '.join(SourceSettings.registry)}; got flies; "
                    "did you mean 'files'?"
                ),
            ),
            (
                'payload = ["text"]',
                "payload = []",
                (
                    "panels.spam.columns.payload, line 21: 'payload' is out of its range; expected at least 1 entry; "
                    "got a list"
                ),
            ),
        ],
    )
    def test_every_wrong_value_is_told_with_place_value_and_remedy(self, problems, old, new, expected):
        assert expected in problems((old, new))

    def test_a_missing_key_is_told_at_its_table(self, problems):
        assert problems(('item = "id"\n', "")) == ["panels.spam.columns.item, line 18: 'item' is missing"]

    def test_all_problems_are_told_at_once_in_the_order_of_the_file(self, problems):
        found = problems(("[store]", "[stor]"), ("budget = 120", "budget = 1"), ("floor = 0.8", "flor = 0.8"))
        assert [text.split(":")[0] for text in found] == [
            "stor, line 1",
            "panels.spam.budget, line 11",
            "panels.spam.limits[1].flor, line 42",
        ]

    def test_contradictions_are_told_all_at_once_when_every_value_can_be_read(self, problems):
        """Each rule reads values that have their types; mistakes of shape are told before."""
        found = problems(
            ('root = "queue"', 'root = "../queue"'), ("budget = 120", "budget = 11"), ("floor = 0.8\n", ""),
            ('["lr"]', '["rl"]'),
        )  # fmt: skip
        assert [text.split(":")[0] for text in found] == [
            "queue.root, line 5",
            "panels.spam.budget, line 11",
            "panels.spam.limits[1], line 40",
            "panels.spam.limits[1].classifiers[1], line 42",
        ]

    def test_a_key_with_a_leading_underscore_is_no_back_door(self, write, tmp_path):
        (tmp_path / ".env").write_text("x")
        path = write()
        path.write_text('_env_file = ".env"\n' + path.read_text())
        with pytest.raises(ConfigProblems, match="there is no key '_env_file'"):
            load_configuration(path)

    @pytest.mark.parametrize("name", ["A b", "../x", "spam/eggs", "ß", "-x", "x" * 65, "SPAM"])
    def test_a_name_that_would_not_do_in_a_file_or_variable_is_refused(self, problems, name):
        found = problems(more=f'[panels.spam.classifiers."{name}"]\ncall = "p"\n')
        assert any("is not a name" in text or "longer than 64" in text for text in found)


class TestAlerts:
    def test_a_channel_of_an_unknown_kind_is_told(self, problems):
        known = " or ".join(ChannelSettings.registry)
        assert problems(more='[[alerts]]\nkind = "console"\n[[alerts]]\nkind = "siren"\n') == [
            f"alerts[2].kind, line 47: 'kind' is not known; expected {known}; got siren"
        ]

    def test_so_is_a_queue(self, problem):
        known = " or ".join(QueueSettings.registry)
        found = problem(('root = "queue"', 'kind = "drawer"'))
        assert found == f"queue.kind, line 5: 'kind' is not known; expected {known}; got drawer"

    def test_a_kind_that_is_no_table_or_no_text_is_told(self, problems, problem):
        found = problem(more="[[alerts]]\nkind = 3\n")
        assert found.startswith("alerts[1].kind, line 45: 'kind' is not known; expected ")
        assert (
            "'queue' has the wrong type; expected a table"
            in problems(('[queue]\nroot = "queue"', ""), ("[store]", "queue = 3\n[store]"))[0]
        )

    def test_a_channel_without_a_kind_is_told(self, problem):
        known = " or ".join(ChannelSettings.registry)
        found = problem(more='[[alerts]]\nname = "x"\n')
        assert found.startswith(f"alerts[1].kind, line 44: 'kind' is not known; expected {known}; got none")

    def test_an_unknown_key_is_compared_with_the_keys_of_that_kind(self, problem):
        found = problem(more='[[alerts]]\nkind = "webhook"\nurl = "${env:X}"\nheadrs = {}\n')
        assert found == "alerts[1].headrs, line 47: there is no key 'headrs'; did you mean 'headers'?"

    def test_two_channels_of_one_name_are_told(self, problem):
        found = problem(more='[[alerts]]\nkind = "console"\n[[alerts]]\nkind = "console"\n')
        assert found == "alerts[2], line 46: two channels are named 'console'; give each a name: name = \"...\""

    def test_fallbacks_without_a_channel_that_can_fail_are_told(self, problem, write):
        fallback = '[[alerts]]\nkind = "console"\nfallback = true\n'
        assert problem(more=fallback).startswith("alerts[1].fallback, line 46: every channel is a fallback; remove")
        load_configuration(write(more=fallback + '[[alerts]]\nkind = "console"\nname = "ops"\n'))

    @pytest.mark.parametrize("timeout", ["2m", "0s"])
    def test_a_time_limit_of_a_send_out_of_its_range_is_told(self, problem, timeout):
        found = problem(more=f'[[alerts]]\nkind = "console"\ntimeout = "{timeout}"\n')
        assert found.startswith("alerts[1].timeout, line 46: 'timeout' ")

    def test_a_heartbeat_is_a_secret_and_its_time_limit_too_is_checked(self, problem):
        assert "heartbeat.url" in problem(more='[heartbeat]\nurl = "https://example.org/beat"\n')
        found = problem(more='[heartbeat]\nurl = "${env:BEAT}"\ntimeout = "61s"\n')
        assert found.startswith("heartbeat.timeout, line 46: 'timeout' ")


class TestTheFileItself:
    def test_one_that_is_missing_is_told_with_the_command_that_writes_it(self, tmp_path):
        with pytest.raises(ConfigError, match=r"there is no configuration x.toml .* `stratawatch init` writes one"):
            load_configuration(tmp_path / "x.toml")

    def test_one_that_is_not_toml_is_told_with_its_line(self, write):
        with pytest.raises(ConfigProblems, match="line 11: this is not TOML: "):
            load_configuration(write(("budget = 120", "budget = 120 labels")))

    def test_a_table_that_is_pasted_again_is_told_with_where_it_is_already(self, write):
        path = write(more='\n[panels.spam.schedule]\nlateness = "1d"\n')
        lines = path.read_text().splitlines()
        first = lines.index("[panels.spam.schedule]") + 1
        expected = rf"\[panels.spam.schedule\] is there already on line {first}: put the keys into that one"
        with pytest.raises(ConfigProblems, match=expected):
            load_configuration(path)

    def test_one_that_is_cut_in_half_is_told(self, write):
        path = write()
        path.write_text(path.read_text()[:100])
        with pytest.raises(ConfigError):
            load_configuration(path)

    @pytest.mark.parametrize("end", ["payload = [\n  'text',\n", 'question = """Is it\nspam?\n', "[panels.spam", "a ="])
    def test_one_that_ends_too_early_is_told_with_the_line_that_is_not_finished(self, write, end):
        with pytest.raises(ConfigProblems) as caught:
            load_configuration(write(more=f"\n\n# and then\n\n{end}"))
        (problem,) = caught.value.problems
        begun = write().read_text().count("\n") + 5
        assert problem.line == begun
        assert f"; the file ends inside what begins on line {begun}; " in str(problem)
        assert "end of document" not in str(problem)

    def test_one_that_is_not_utf_8_is_told(self, tmp_path):
        (tmp_path / "x.toml").write_bytes("[störe]".encode("latin-1"))
        with pytest.raises(ConfigError, match="not text in UTF-8"):
            load_configuration(tmp_path / "x.toml")

    def test_a_folder_in_its_place_is_told(self, tmp_path):
        with pytest.raises(ConfigError, match="cannot be read"):
            load_configuration(tmp_path)

    def test_one_of_a_gigabyte_is_not_read(self, tmp_path):
        with (tmp_path / "x.toml").open("wb") as handle:
            handle.truncate(2**30)
        with pytest.raises(ConfigError, match="too large"):
            load_configuration(tmp_path / "x.toml")

    def test_one_that_says_nothing_needs_a_panel(self, tmp_path):
        (tmp_path / "x.toml").write_text("")
        with pytest.raises(ConfigProblems, match="panels: 'panels' is missing"):
            load_configuration(tmp_path / "x.toml")
