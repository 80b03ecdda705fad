"""Tests that the meanings of the fields of an app are found in its source."""

from cardlab.operations.field_meanings import field_meanings

SOURCE = '''
from otree.api import *

LABEL = "computed"

class C(BaseConstants):
    NAME_IN_URL = models.StringField(label="no model")

class Group(BaseGroup):
    total = models.CurrencyField(doc="""Sum of
        all offers""", label="Total")

class Player(BasePlayer):
    age = models.IntegerField(label="How old are you?", min=18)
    old = models.StringField(verbose_name="Name")
    computed = models.StringField(label=LABEL)
    plain = models.IntegerField()
    words = models.LongStringField(doc="a plan (not identifying)")
    choice = models.StringField(choices=["a", "b"])
    number = 5

def creating_session(subsession):
    pass
'''


def test_doc_precedes_label():
    meanings = {name: field.meaning for name, field in field_meanings("my_app", SOURCE).items()}
    assert meanings == {
        "my_app.group.total": "Sum of all offers",
        "my_app.player.age": "How old are you?",
        "my_app.player.old": "Name",
        "my_app.player.words": "a plan (not identifying)",
        **dict.fromkeys(("my_app.player.computed", "my_app.player.plain", "my_app.player.choice"), ""),
    }


def test_texts_without_choices_may_identify():
    fields = field_meanings("my_app", SOURCE)
    assert {name for name, field in fields.items() if field.identifies} == {
        "my_app.player.old",
        "my_app.player.computed",
    }
