"""Tests what ``lab.py check`` reports about session configs and treatments."""

from stages import PLAYED_AGAIN

from cardlab.operations.preflight import ERROR, OK
from cardlab.operations.preflight.project_files import check_configs, check_treatments
from cardlab.server import preflight


def test_configs_are_dealt_and_faults_named(monkeypatch):
    from otree.session import SESSION_CONFIGS_DICT

    many = len(PLAYED_AGAIN)  # the configs that bots seldom play
    assert list(check_configs(preflight.config_facts(list(PLAYED_AGAIN)))) == [
        (OK, f"{many} of {many} session configs are valid, and so are the files that they use.")
    ]
    names = ["ttt_demo", "triangle_standard"]
    wrong = {**SESSION_CONFIGS_DICT["ttt_demo"], "ShowFileName": "none.txt"}
    monkeypatch.setitem(SESSION_CONFIGS_DICT, "ttt_demo", wrong)
    monkeypatch.setattr("triangle_app.check_session", lambda *_arguments: 1 / 0)
    absent, show_file, failed = check_configs(preflight.config_facts([*names, "none"]))
    assert absent[0] == show_file[0] == failed[0] == ERROR
    assert absent[1].startswith("Unknown session config none.")
    assert show_file[1].startswith("Session config ttt_demo: none.txt: there is no such show file")
    assert failed[1].startswith("Session config triangle_standard: an unexpected error (ZeroDivisionError")


def test_treatment_files_are_read_and_faults_named(monkeypatch, tmp_path):
    (tmp_path / "good.toml").write_text("[one]\nMaxRounds = 9\n")
    (tmp_path / "wrong.toml").write_text("[one]\nMaxRounds = \n")
    monkeypatch.setattr("cardlab.sessions.deal_files.TREATMENTS", [tmp_path])
    wrong, good = check_treatments(preflight.treatment_faults())
    assert wrong[0] == ERROR
    assert wrong[1].startswith("treatments/wrong.toml, line 2")
    assert good == (OK, "1 of 2 treatment files are valid.")


def test_label_files_are_each_read_once(tmp_path):
    labels, none, other = tmp_path / "labels.csv", tmp_path / "none.txt", tmp_path / "utf16.txt"
    labels.write_text("label,language\nPC01,it\nPC02,xx\n")
    other.write_bytes("PC01".encode("utf-16"))
    rooms = [{"name": "open"}]
    for name, file in (("lab", labels), ("typed", labels), ("gone", none), ("other", other)):
        rooms.append({"name": name, "participant_label_file": str(file)})
    good, missing, not_text = preflight.room_facts(rooms)
    assert good["labels"] == ["PC01", "PC02"]
    (fault,) = good["faults"]
    assert fault.startswith(f"{labels}, line 3: Column language: 'xx' is not a language of this server.")
    assert "Write one of en, de, it, or" in fault
    assert "This label file does not exist. Create it, or correct ROOMS" in missing["faults"][0]
    assert "must be text in UTF-8, not in UTF-16" in not_text["faults"][0]
