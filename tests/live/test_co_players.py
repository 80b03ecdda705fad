"""Tests who is paused with a participant: the members of a group who still play together."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import without_database  # noqa: F401

from cardlab.live import co_players


class Study:
    """Participants by number. ``groups`` has the members of each group, by app and round."""

    def __init__(self, **groups) -> None:
        self.people = {number: SimpleNamespace(id=number, id_in_session=number) for number in range(1, 7)}
        self.groups, self.rounds = groups, {}

    def player_of(self, participant):
        place = self.rounds.get(participant.id)
        return place and SimpleNamespace(
            get_folder_name=lambda: place[:-1], number=participant.id, place=place
        )

    def members(self, player):
        return next((each for each in self.groups[player.place] if player.number in each), ())

    def row(self, player):
        members = self.members(player) or self.people
        return SimpleNamespace(
            get_players=lambda: [SimpleNamespace(participant=self.people[number]) for number in members]
        )

    def shared_page(self, app):
        return SimpleNamespace(opening=self.members, row=self.row) if app == "game" else None

    def paused_with(self, number, **rounds):
        """Returns who is paused with a participant, if ``rounds`` has the participants' apps and rounds."""
        self.rounds = {int(name[1:]): place for name, place in rounds.items()}
        return [each.id for each in co_players.with_co_players([self.people[number]])]


@pytest.fixture
def study(monkeypatch):
    study = Study(game1=[(1, 2), (3, 4)], game2=[(1, 2), (3, 4)], game3=[(2, 3)])
    monkeypatch.setattr(co_players, "player_of", study.player_of)
    monkeypatch.setattr(co_players, "shared_page", study.shared_page)
    return study


def test_everybody_at_a_table_is_paused(study):
    assert study.paused_with(1, p1="game1", p2="game1", p3="game1") == [1, 2]
    assert (
        study.paused_with(1, p1="game1", p2="game2") == study.paused_with(2, p1="game1", p2="game2") == [1, 2]
    )


def test_members_in_another_app_are_not_paused(study):
    assert study.paused_with(1, p1="game1", p2="survey1") == [1]
    assert study.paused_with(2, p1="game1", p2="survey1") == [2]
    assert study.paused_with(1, p1="game2") == [1], "somebody past the last page plays with nobody"


def test_members_with_new_partners_are_not_paused(study):
    assert study.paused_with(1, p1="game2", p2="game3", p3="game3") == [1]
    assert study.paused_with(2, p1="game2", p2="game3", p3="game3") == [2, 3]
    assert study.paused_with(4, p4="game2", p3="game3", p2="game3") == [4]


def test_waiting_page_has_no_co_players(study):
    assert study.paused_with(1, p1="game3", p4="game3") == [1]
    assert study.paused_with(3, p3="game2", p4="game3") == [3]
