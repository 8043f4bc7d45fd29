"""`labels agreement`: alpha of a panel, and each annotator against the others."""

import json

from tests.unit.cli.conftest import NOW


def test_of_one_annotator_cannot_be_told(judged):
    (found,) = judged.json("labels", "agreement")["panels"]
    assert (found["alpha"], found["items"]) == (None, 0)
    assert found["reason"].startswith("0 items have two answers")
    assert "cannot tell how far annotators agree" in judged.run("labels", "agreement").stdout


def test_of_a_second_annotator_counts_his_last_answers(judged):
    labels = judged.json("labels", "export")["labels"]
    second = [{"item": one["item"], "value": one["value"], "annotator": "bob"} for one in labels]
    second[0] = {**second[0], "value": "no" if labels[0]["value"] == "yes" else "yes"}
    second.append({"item": labels[0]["item"], "value": "skip", "annotator": "cem"})
    file = judged.folder / "bob.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in second))
    judged.run("labels", "import", str(file))
    (found,) = judged.json("labels", "agreement")["panels"]
    assert (found["items"], found["reason"]) == (60, "")
    assert 0.9 < found["alpha"] < 1
    assert found["low"] < found["alpha"] < found["high"]
    assert [(one["name"], one["pairs"], one["agreeing"], one["skips"]) for one in found["annotators"]] == [
        ("ann", 60, 59, 0),
        ("bob", 60, 59, 0),
        ("cem", 0, 0, 1),
    ]
    text = judged.run("labels", "agreement", "--panel", found["panel"]).stdout
    assert f"{found['panel']}: alpha {found['alpha']:.2f} ({found['low']:.2f} to " in text
    assert "over 60 items" in text
    assert "98.3%" in text
    assert "Second answers are asked for" not in text


def test_one_person_is_one_however_the_name_is_written(judged):
    labels = judged.json("labels", "export")["labels"]
    names = ("Ann", " ann", "a\u200bnn", "ANN")
    said = [{"item": labels[0]["item"], "value": labels[0]["value"], "annotator": name} for name in names]
    said += [{"item": labels[1]["item"], "value": "skip", "annotator": "\u0041\u030ake"}]
    said += [{"item": labels[2]["item"], "value": "skip", "annotator": "\u00c5ke"}]
    file = judged.folder / "names.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in said))
    assert judged.json("labels", "import", str(file))["new"] == 6
    (found,) = judged.json("labels", "agreement")["panels"]
    assert [(one["name"], one["pairs"], one["skips"]) for one in found["annotators"]] == [
        ("\u0041\u030ake", 0, 2),
        ("ann", 0, 0),
    ]
    written = {row["annotator"] for row in judged.json("labels", "export")["labels"]}
    assert {*names, "ann"} <= written


def test_under_second_votes_it_says_which_items_are_asked_about_again(fresh):
    fresh.configure(("budget = 60", 'budget = 60\nsecond_votes = "called_negative_yes"'))
    fresh.run("open", "--now", NOW)
    (found,) = fresh.json("labels", "agreement")["panels"]
    assert found["second_votes"] == "called_negative_yes"
    assert "Second answers are asked for where the first is yes" in fresh.run("labels", "agreement").stdout


def test_of_three_annotators_tells_what_their_errors_imply(judged):
    """Bob errs about one item in ten, Cem about others; Ann is right. Their majority is right wherever they err apart."""
    labels = judged.json("labels", "export")["labels"]
    turned = {"yes": "no", "no": "yes"}
    said = [
        {"item": one["item"], "value": turned[one["value"]] if i % 10 == place else one["value"], "annotator": name}
        for place, name in enumerate(("bob", "cem"))
        for i, one in enumerate(labels)
    ]
    file = judged.folder / "others.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in said))
    judged.run("labels", "import", str(file))
    (found,) = judged.json("labels", "agreement")["panels"]
    errors = found["errors"]
    assert errors["items"] == 60
    assert 0.85 < errors["specificity"][1] < errors["specificity"][0] < 1
    assert errors["wrong_majorities"] < 0.05
    rates = {one["name"]: one["specificity"] for one in found["annotators"]}
    assert rates["bob"][0] < rates["ann"][0]
    assert all(low <= value <= high for value, low, high in rates.values())
    assert all(high - low > 0.02 for _, low, high in rates.values())
    assert {(one["classifier"], one["metric"]) for one in found["implied"]} >= {("lr", "recall"), ("lr", "precision")}
    precision = next(one for one in found["implied"] if (one["classifier"], one["metric"]) == ("rf", "precision"))
    assert precision["implied"] != precision["value"]
    judged.columns = 100
    text = judged.run("labels", "agreement").stdout
    assert "If people err independently, an answer finds " in text
    assert "of the majorities are wrong" in text
    value, low, high = rates["bob"]
    assert f"{value:.1%} ({low:.1%} to {high:.1%})" in text
    assert "nobody's answers were compared with the truth" in text


def test_of_a_panel_that_is_not_there_is_refused(judged):
    assert "there is no panel 'none'" in judged.run("labels", "agreement", "--panel", "none", code=2).stderr
