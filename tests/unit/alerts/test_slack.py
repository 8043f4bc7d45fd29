"""Slack: an incoming webhook, and a bot that writes the end of an incident into the message of its beginning."""

import json
import re

import pytest
from pydantic import ValidationError

from stratawatch.adapters.alerts.slack import SlackSettings, slack_message
from stratawatch.errors import StratawatchError, Unreachable
from tests.support.alert_services import SlackBackend, SlackBotBackend
from tests.support.notices import notice


@pytest.fixture(params=[SlackBackend, SlackBotBackend], ids=["webhook", "bot"])
def slack(request, tmp_path):
    backend = request.param(tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def bot(tmp_path):
    backend = SlackBotBackend(tmp_path)
    yield backend
    backend.close()


def words(message):
    texts = [text["text"] for block in message["blocks"] for text in block.get("elements", [block.get("text")])]
    return "\n".join(texts)


class TestWords:
    def test_are_fewer_than_1500_characters_whatever_there_is_to_say(self, slack):
        slack.channel().send(notice(subject="s" * 3000, body="line\n" * 3000, dedup_key="k" * 3000))
        (notification,) = slack.received()
        assert len(words(json.loads(notification))) < 1500

    def test_have_a_page_whole_with_its_links(self):
        """A body of 1,300 characters, as a page has that says what moved and which cut-off would mend it."""
        links = {
            "owner": "trust-and-safety on call",
            "runbook": "https://w.example/" + "r" * 99,
            "report_url": "https://r",
            "dashboard_url": "https://d",
        }
        body = "\n".join(["line of a page with more than fifty characters in it"] * 24)
        said = slack_message(notice(body=body, facts={"panel": "spam", **links}))
        assert said["blocks"][1]["text"]["text"] == body
        read = re.sub(r"<[^|]*\|([^>]*)>", r"\1", words(said))
        assert 1300 < len(read) < 1500

    def test_that_have_to_be_escaped_do_not_make_slack_refuse_it(self, slack):
        slack.channel().send(notice(body="&" * 3000))
        (notification,) = slack.received()
        assert len(json.loads(notification)["blocks"][1]["text"]["text"]) <= 3000

    def test_are_no_link_no_mention_and_no_markup(self):
        said = words(
            slack_message(notice(body="<!channel> & <@U1> *bold* _it_ ~no~ `code` <https://evil.example|here>"))
        )
        assert "<" not in said
        assert "&lt;!channel&gt; &amp;" in said
        assert "*b" not in said
        assert "`c" not in said

    def test_fill_no_empty_block(self, slack):
        slack.channel().send(notice(subject="", body=""))
        assert len(slack.received()) == 1


class TestBot:
    def test_writes_the_end_into_the_message_of_the_beginning_and_below_it(self, bot):
        bot.channel().send(notice("a"))
        bot.channel().send(notice("b", severity="resolved", subject="RESOLVED: precision of lr (spam)"))
        first, second = bot.posts.values()
        assert words(first).startswith("RESOLVED: RESOLVED: precision of lr") or "RESOLVED" in words(first)
        assert second["thread_ts"] == next(iter(bot.posts))

    def test_answers_with_updates_and_shows_reminders_in_the_channel_too(self, bot):
        bot.channel().send(notice("a"))
        bot.channel().send(notice("b", severity="update", facts={"update": "acknowledged"}))
        bot.channel().send(notice("c", severity="update", facts={"update": "reminder"}))
        page, acknowledged, reminder = bot.posts.values()
        assert words(page).startswith("PAGE: ")
        assert [one["thread_ts"] for one in (acknowledged, reminder)] == [next(iter(bot.posts))] * 2
        assert [one.get("reply_broadcast") for one in (acknowledged, reminder)] == [None, True]

    def test_posts_the_end_where_it_does_not_know_the_beginning(self, bot, tmp_path):
        bot.channel().send(notice("a"))
        (tmp_path / ".stratawatch" / "messages-slack.jsonl").write_text("junk\n")
        bot.channel().send(notice("b", severity="resolved"))
        assert len(bot.posts) == 2
        assert all("thread_ts" not in post for post in bot.posts.values())

    def test_keeps_incidents_apart(self, bot):
        bot.channel().send(notice("a", dedup_key="one"))
        bot.channel().send(notice("b", dedup_key="two"))
        bot.channel().send(notice("c", dedup_key="one", severity="resolved"))
        one, two, answer = bot.posts.values()
        assert "RESOLVED" in words(one)
        assert "RESOLVED" not in words(two)
        assert answer["thread_ts"] == next(iter(bot.posts))

    @pytest.mark.parametrize(
        ("settings", "reason"), [({"token": "xoxb-wrong"}, "invalid_auth"), ({"channel": "#none"}, "channel_not_found")]
    )
    def test_says_what_slack_refused_and_no_token(self, bot, settings, reason):
        with pytest.raises(StratawatchError, match=rf"{reason}.*chat:write") as refused:
            bot.channel(**settings).send(notice())
        assert "xoxb" not in str(refused.value)

    @pytest.mark.parametrize("answer", [(200, {"ok": False, "error": "ratelimited"}), (429, ""), (502, "")])
    def test_tries_again_later_what_is_about_the_moment(self, bot, answer):
        bot.service.broken = answer
        with pytest.raises(Unreachable):
            bot.channel().send(notice())
        bot.service.broken = None
        assert not bot.channel().send(notice()).duplicate


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"token": "${env:T}"},
        {"channel": "#a"},
        {"url": "${env:U}", "token": "${env:T}", "channel": "#a"},
    ],
)
def test_there_is_one_way_in(settings):
    with pytest.raises(ValidationError, match="either `url`"):
        SlackSettings.model_validate({"kind": "slack", **settings})


REPORT = {"severity": "update", "subject": "spam, 2026-01-12: OK", "dedup_key": "stratawatch:spam:report:2026-W03"}


class TestReport:
    def test_is_a_post_of_its_own_with_its_link_once(self, slack):
        link = "https://reports.example.org/spam/latest.html"
        facts = {"panel": "spam", "update": "report", "report_url": link}
        channel = slack.channel()
        for _ in range(2):
            channel.send(notice(facts=facts, body="x" * 3000, **REPORT))
        (posted,) = slack.received()
        message = json.loads(posted)
        assert message["blocks"][0]["text"]["text"] == "REPORT: spam, 2026-01-12: OK"
        assert f"<{link}|Report>" in words(message)
        assert len(words(message).replace(link, "")) < 1500
