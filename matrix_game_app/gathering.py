"""Putting the groups together, and seating them.

Partners are drawn by the session's seed. Whoever has waited for the config's ``gather_seconds`` is put
together with whoever else waits. Who finds nobody is left out, or robots take the empty seats, as
``no_shows`` says; before the first game not until all who have come are here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from otree.lookup import get_page_lookup

from experiment.clock import now_ms
from experiment.record import Opening, read_opening, write_opening
from games.matrix import rules
from games.matrix.dealing import ALLOWED_OPTIONS
from matrix_game_app import seating


def game_number(player) -> int:
    """1 for the first game; the first round has the instructions."""
    return player.round_number - 1


def is_due(player) -> bool:
    """Whether groups are put together before the game of this round."""
    game, config = game_number(player), player.session.config
    return game == 1 or (config["partners"] == "rematched" and 1 < game <= config["games"])


def is_last(player) -> bool:
    """Whether no game comes for the player after this round."""
    game, config = game_number(player), player.session.config
    left_out = game == 1 and config["partners"] == "kept" and not player.seat
    return game == config["games"] or left_out


def next_group(subsession) -> list[Any]:
    """The players who play together next, empty if all go on waiting. oTree asks whenever one comes."""
    config, now, game = subsession.session.config, now_ms(), subsession.round_number - 1
    players = {player.id_in_subsession: player for player in subsession.get_players()}
    for player in players.values():
        if _has_page_open(player) and player.field_maybe_none("waiting_since_ms") is None:
            player.waiting_since_ms = now
    waiting = {
        number: (now - player.waiting_since_ms) / 1000
        for number, player in players.items()
        if _has_page_open(player) and _is_here(player)
    }
    come = [number for number, player in players.items() if game == 1 or _came(player)]
    planned = seating.planned(f"{config['seed']}, groups of game {game}", come, config["group_size"])
    members = seating.next_group(planned, waiting, config["group_size"], config["gather_seconds"])
    if 0 < len(members) < config["group_size"] and game == 1:
        here = players[members[0]].participant._index_in_pages
        if any(0 < player.participant._index_in_pages < here for player in players.values()):
            return []  # somebody has come, and is still at the pages before this one
    return [players[number] for number in members]


def _has_page_open(player) -> bool:
    """Whether this round's wait page is open; in a hidden tab too, unlike with oTree."""
    participant = player.participant
    index = participant._index_in_pages
    return (
        index == participant._gbat_page_index
        and participant._waitpage_is_connected
        and not participant._gbat_grouped
        and get_page_lookup(participant._session_code, index).round_number == player.round_number
    )


def _was_moved_on(player) -> bool:
    """Whether the researcher moved the player past the last page before the first game."""
    done = "check_done_ms" if player.session.config["check"] else "instructions_done_ms"
    return player.in_round(1).field_maybe_none(done) is None


def _is_here(player) -> bool:
    """Whether a person is at the page. The server itself opens it for those who are moved on: they count
    when their own browser has loaded it again, as it does within about a minute."""
    again = player.participant._last_request_timestamp * 1000 - player.waiting_since_ms > 2000
    return again or not _was_moved_on(player)


def _came(player) -> bool:
    return player.in_round(2).field_maybe_none("waiting_since_ms") is not None


def seat(group) -> None:
    """Give the members of a new group their seats and their deals: of this game, or of all if they stay."""
    config, players = group.session.config, group.get_players()
    if len(players) < config["group_size"] and config["no_shows"] == "leave_out":
        return
    last = 1 + config["games"] if config["partners"] == "kept" else group.round_number
    earlier = sum(bool(other.opening) for other in group.subsession.get_groups())
    for number in range(group.round_number, last + 1):
        there = [player.in_round(number) for player in players]
        game = number - 1
        seats, robots = seating.seats(len(there), config["players"], game, config["rotate_dealer"])
        for player, name in zip(there, seats):
            player.seat = name
        of_groups = there[0].subsession.openings.splitlines()
        opening = read_opening(of_groups[earlier % len(of_groups)])
        options = {**opening.options, "robots": dict.fromkeys(robots, config["robot"])}
        there[0].group.opening = write_opening(replace(opening, options=options))


def tutorial(config: dict[str, Any]) -> Opening:
    """A game to try: the participant deals, robots that play at random have the other seats."""
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    _own, robots = seating.seats(1, options["players"], 1, rotate=False)
    options |= {"robots": dict.fromkeys(robots, "random"), "seed": "a game to try"}
    return Opening(rules.deal("a game to try", options), options)


def left_ms(player) -> int:
    """In how many milliseconds the player has waited long enough; 0 if that has no end."""
    patience = player.session.config["gather_seconds"] * 1000
    return round(max(1, player.waiting_since_ms + patience - now_ms())) if patience else 0
