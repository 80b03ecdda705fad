"""Tests the names of a dataset's tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.analysis.codebook.data_package import DESCRIPTION
from cardlab.analysis.codebook.table_names import psych_ds_name, table_name

APPS = ("ttt_solo_app", "ttt_solo_app_2", "my_App")


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("ttt_solo_app_ck_log", "session-x1_task-tttSoloApp_description-ckLog_data.csv"),
        ("ttt_solo_app", "session-x1_task-tttSoloApp_data.csv"),
        ("ttt_solo_app_2_hands", "session-x1_task-tttSoloApp2_description-hands_data.csv"),
        ("my_App_hands", "session-x1_task-myApp_description-hands_data.csv"),
        ("all_apps_wide", "session-x1_description-allAppsWide_data.csv"),
    ],
)
def test_names_follow_psych_ds_and_come_back(table, name):
    assert psych_ds_name(table, APPS, ("session", "x1")) == name
    assert table_name(f"data/{name}", APPS) == table


def test_other_names_are_those_of_the_files():
    assert table_name("exports/ttt_solo_app_hands.csv") == "ttt_solo_app_hands"
    assert table_name(f"results/x/{DESCRIPTION}") == "datapackage"
    assert psych_ds_name("hands", (), ("study", "Two games!")) == "study-Twogames_description-hands_data.csv"


@given(st.from_regex(r"[a-z]+(_[a-z]+)*", fullmatch=True))
def test_every_usual_app_name_comes_back(app):
    name = psych_ds_name(f"{app}_hands", [app], ("session", "x"))
    assert table_name(name) == f"{app}_hands"
