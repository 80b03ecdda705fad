"""Tests how a simulated participant fills in forms."""

import pytest

from cardlab.rehearsal import forms
from cardlab.rehearsal.__main__ import parse_fields
from cardlab.rehearsal.browser import RehearsalError
from cardlab.rehearsal.figures import percentile, times

PAGE = """<form><input name="elsewhere"></form>
<form class="otree-form" id="form" method="post">
<fieldset><legend>How much is <b>this</b>?</legend>
  <input type="radio" name="much" value="1" required>
  <input type="radio" name="much" value="2" required></fieldset>
<select name="field_of_study"><option value="">–</option><option value="law">Law</option></select>
<input type="number" name="age" min="18" max="99" required>
<input type="text" inputmode="numeric" name="number">
<input type="checkbox" name="agreed" value="yes" required>
<input type="checkbox" name="newsletter" value="yes">
<input type="hidden" name="kept" value="x"> <textarea name="strategy"></textarea>
<button type="button" name="help">Help</button><button name="consent" value="yes">Next</button>
</form>"""


def test_each_field_gets_a_fitting_value():
    assert forms.fill_in(forms.parse_form(PAGE), forms.Answers()) == {
        "much": "1",
        "field_of_study": "law",
        "age": "18",
        "number": "1",
        "agreed": "yes",
        "kept": "x",
        "strategy": "rehearsal",
        "consent": "yes",
    }


def test_page_without_form_or_button_ends():
    assert forms.parse_form("<p>Thank you</p>").button is None
    assert forms.parse_form('<form id="form"><p>The end</p></form>').button is None


def test_right_answers_are_repeated_wrong_ones_not():
    answers, form = forms.Answers(), forms.parse_form(PAGE)
    assert form.fields["much"].question == "How much is this?"
    first = forms.fill_in(form, answers)
    answers.record_returned(form, first, form)
    second = forms.fill_in(form, answers, 1)
    assert (first["much"], second["much"]) == ("1", "2")
    answers.record_accepted(form, second)
    assert forms.fill_in(forms.parse_form(PAGE), answers)["much"] == "2"
    other = forms.parse_form(PAGE.replace("this", "that"))
    assert forms.fill_in(other, answers)["much"] == "1"


def test_answer_kept_by_the_page_is_right():
    answers, form = forms.Answers(), forms.parse_form(PAGE)
    again = forms.parse_form(PAGE.replace('value="1" required', 'value="1" required checked'))
    answers.record_returned(form, forms.fill_in(form, answers), again)
    assert answers.right == {("much", "How much is this?"): "1"}


def test_session_fields_get_the_configs_types():
    config = {"check": True, "hands": 3, "payoff_base": 1.5, "deal_file": "seed"}
    texts = ["check=false", "hands=2", "payoff_base=2", "deal_file=a=b", "triangle_app.hands=4"]
    fields = {"check": False, "hands": 2, "payoff_base": 2.0, "deal_file": "a=b", "triangle_app.hands": 4}
    assert parse_fields(config, texts) == fields
    for wrong in ("hands", "hands=two", "check=1"):
        with pytest.raises(RehearsalError, match=r"NAME=VALUE|a number|True or False"):
            parse_fields(config, [wrong])


def test_percentiles_and_durations_are_formatted():
    assert [percentile([4, 1, 3, 2], cut) for cut in (1, 50, 75, 99)] == [1, 2, 3, 4]
    assert times([1, 2.04, 125]) == "median 2.0 s, slowest 2:05 min"
