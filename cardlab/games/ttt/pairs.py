"""Deals the hands of a session of pairs in blocks, and assigns partners and keepers.

A block is a show file, or several of which each pair gets one, so that pairs are trained differently. Between
blocks, pairs may be matched again and keepers exchanged. ``docs/reference/settings.md`` describes the fields
of the config.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, DealtSession, ReadFile, number_hands, waiting_options
from cardlab.games.record import Opening
from cardlab.games.seating import KEPT, GroupRules, Member, Seating
from cardlab.games.setting import check_settings
from cardlab.games.text_file import quote
from cardlab.games.ttt import rules, settings_file
from cardlab.games.ttt.board import KEEPERS, SEAT, other
from cardlab.games.ttt.dealing import file_openings, hidden_goals, options_in_force, practice_openings
from cardlab.games.ttt.session_config import PAIR_SETTINGS
from cardlab.games.ttt.strategies import Routinizing

MIXED = "mixed"  # participants are matched with partners who were trained with another file
EXCHANGED = "exchanged"
ROBOT = "robot"

_BLOCK = re.compile(r"([^:]+)(?::\s*0*([1-9][0-9]{0,3})\s*)?")


# For either keeper, the first move brings them the goal card, and T is illegal at first.
_PRACTICE_DEALS = {"ck": "2H 3H 2C 4C 3C 4H | 2H | ck", "nk": "4H 2C 3C 4C 2H 3H | 2H | nk"}


class Block(NamedTuple):
    """A block: the show files, one for each pair in turn, and the number of hands of each; None for all."""

    files: list[str]
    hands: int | None


def openings(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
    """Returns the hands of a session, practice first (see ``cardlab.games.dealing``).

    They are the same for all pairs. If a block has several files, there is one opening for each sequence of
    files, and pairs get these in turn. :func:`assign_seats` assigns the keepers when a pair begins.
    """
    if problem := check(config, participants):
        raise BadFile("session config", problem)
    options = options_of(config, read)
    practice, notices = practice_openings(config, options, at_most, read)
    blocks, warnings = dealt_blocks(config, options, read)
    count = len(practice) + sum(len(hands_by_file[0]) for hands_by_file in blocks)
    if count > at_most:
        raise BadFile(
            "session config",
            f"Practice and blocks have {count} hands, but a session can have at most {at_most}. "
            "Use fewer blocks, or only the first hands of a file: write a colon and their "
            "number after its name in blocks.",
        )
    ways = combine_blocks(config, practice, blocks)
    notices = [*settings_file.notices(options), *dict.fromkeys(notices + warnings)]
    notices += hidden_goals([hand for hands in ways for hand in hands])
    groups = participants // config["group_size"]
    if groups % len(ways):
        notices.append(
            f"{groups} groups cannot be divided equally among the show files of the blocks. Use "
            f"a multiple of {len(ways)}."
        )
    return DealtSession([list(hands) for hands in zip(*ways)], notices)


def practice_opening(config: Config, first: Opening) -> Opening:
    """Returns the practice board of the tutorial, with a robot as the partner.

    Its goal is visible, there is no turn limit, and 20 moves suffice for all tasks.
    """
    seat = other(config["robot_seat"]) if config["group_size"] == 1 else "ck"
    own_options = {"ViewTarget": True, "MaxRounds": 20, "turn_limit_seconds": 0, "seed": "a hand to try"}
    return Opening(
        _PRACTICE_DEALS[seat], {**first.options, **own_options, "robots": {other(seat): "informed"}}
    )


def options_of(config: Config, read: ReadFile) -> dict[str, Any]:
    """Returns the options that all hands have in common. Raises BadFile."""
    return {**options_in_force(config, read), "players": 2, **waiting_options(config)}


def dealt_blocks(
    config: Config, options: dict[str, Any], read: ReadFile
) -> tuple[list[list[list[Opening]]], list[str]]:
    """Returns the hands of each block for each of its files, and the warnings about them. Raises BadFile."""
    blocks, warnings = [], []
    for block in blocks_of(config):
        dealt = [_read_hands(file, block, options, read) for file in block.files]
        blocks.append([hands for hands, _warnings in dealt])
        warnings += [warning for _hands, own_warnings in dealt for warning in own_warnings]
        _check_equally_long(block, blocks[-1])
    return blocks, warnings


def combine_blocks(
    config: Config, practice: Sequence[Opening], blocks: Sequence[Sequence[Sequence[Opening]]]
) -> list[list[Opening]]:
    """Returns the hands for each sequence of files through the blocks. Pairs get the sequences in turn."""
    ways = []
    for way in range(math.lcm(*map(len, blocks))):
        files = [block[way % len(block)] for block in blocks]
        paid = [_in_block(hand, number) for number, hands in enumerate(files, 1) for hand in hands]
        name = paid[0].options["ShowFileName"]
        practice_hands = [
            _in_block(replace(hand, options={**hand.options, "ShowFileName": name}), 0) for hand in practice
        ]
        ways.append(_with_seeds(number_hands(practice_hands, paid), config, way + 1))
    return ways


def blocks_of(config: Config) -> list[Block]:
    """Returns the blocks of the config. The name "" stands for the file of ShowFileName. Raises BadFile."""
    text: str = config["blocks"]
    return [_block(part, text) for part in text.split(",")] if text.strip() else [Block([""], None)]


def _block(part: str, text: str) -> Block:
    match = _BLOCK.fullmatch(part)
    files = [name.strip() for name in match[1].split("/")] if match else []
    if not match or not all(files):
        raise BadFile(
            "session config",
            "blocks must be show files separated by commas. Separate several files of one block "
            "with /, and add :N for their first N hands, such as game422.txt/game442.txt:16, "
            f"transfer422.txt; not {quote(text)}.",
        )
    return Block(files, int(match[2]) if match[2] else None)


def _read_hands(
    file: str, block: Block, options: dict[str, Any], read: ReadFile
) -> tuple[list[Opening], list[str]]:
    """Returns the hands of a show file in a block, and the warnings about it. Raises BadFile."""
    source = read(file or options["ShowFileName"], "show file")
    hands, warnings = file_openings(source, {**options, "ShowFileName": source.name})
    if block.hands and block.hands > len(hands):
        raise BadFile(source.name, f"blocks uses {block.hands} hands, but the file has only {len(hands)}.")
    return hands[: block.hands], warnings


def _in_block(hand: Opening, block: int) -> Opening:
    return replace(hand, options={**hand.options, "block": block})


def _check_equally_long(block: Block, dealt: Sequence[Sequence[Opening]]) -> None:
    if len({len(hands) for hands in dealt}) > 1:
        counts = ", ".join(f"{name} {len(hands)}" for name, hands in zip(block.files, dealt))
        raise BadFile(
            "session config",
            "The show files of a block must have the same number of hands, but these have: "
            f"{counts}. To use the first hands of each, write "
            f"{'/'.join(block.files)}:{min(map(len, dealt))} in blocks.",
        )


def _with_seeds(hands: Sequence[Opening], config: Config, way: int) -> list[Opening]:
    """Adds the options for robots: a seed for each hand, and the strengths of the habit."""
    seeded = [
        replace(hand, options={**hand.options, "seed": f"{config['seed']}, hand {number}, way {way}"})
        for number, hand in enumerate(hands, 1)
    ]
    if config["robot"] != "routinizing" or (config["group_size"] == 2 and config["no_shows"] != ROBOT):
        return seeded
    strengths = habits(seeded, str(config["seed"]))
    return [replace(hand, options={**hand.options, "habit": habit}) for hand, habit in zip(seeded, strengths)]


def check(config: Config, participants: int) -> str | None:
    """Returns a sentence about invalid settings of pairs; None if all are valid."""
    if problem := check_settings(config, PAIR_SETTINGS):
        return problem
    if participants % config["group_size"]:
        return (
            f"{participants} participants cannot be put into pairs. Create the session with an "
            "even number. The setting no_shows decides what happens if a participant does not "
            "arrive."
        )
    return _check_blocks(config)


def _check_blocks(config: Config) -> str | None:
    """Returns a sentence about incompatible settings; None if all are compatible."""
    blocks, partners = blocks_of(config), config["partners"]
    if config["blocks"].strip() and config["ShowFileName"] != settings_file.AS_THE_FILE_SAYS:
        return "ShowFileName cannot be used with blocks. Name the show files only in blocks."
    if partners != KEPT and config["group_size"] == 1:
        return f"partners cannot be {partners} with group_size 1, because the partner is a robot."
    for key in ("partners", "roles"):
        if config[key] != KEPT and len(blocks) == 1:
            return (
                f"{key} can be {config[key]} only with several blocks. Name their show files in "
                "blocks, separated by commas."
            )
    if partners == MIXED and all(len({*block.files}) == 1 for block in blocks[:-1]):
        return (
            "With partners mixed, pairs must be trained differently in a block before the last. "
            "Name several show files for that block, separated by /."
        )
    if partners != KEPT and config["pay_hands"] == "one" and config["no_shows"] != ROBOT:
        return (
            f"With partners {partners} and no_shows {config['no_shows']}, pay_hands cannot be one: the paid "
            "hand might be drawn from hands that a participant sat out. Let a robot play "
            "instead (no_shows), or pay all hands."
        )
    return None


def begins(config: Config, hands: Sequence[Opening]) -> list[int]:
    """Returns the numbers of the hands before which pairs are formed.

    These are the first hand and, unless partners are kept, the first of each later block.
    """
    first_number_by_block = {
        hand.options["block"]: number for number, hand in reversed([*enumerate(hands, 1)])
    }
    later = [number for block, number in sorted(first_number_by_block.items()) if block > 1]
    return [1] if config["partners"] == KEPT else [1, *later]


def assign_seats(config: Config, members: Sequence[Member], hand: Opening) -> Seating:
    """Returns the keepers of a pair's members in order, and the robot of a keeper without a member.

    A member's role is the keeper of the first block. If roles are exchanged, everybody has the other keeper
    in every second block.
    """
    if members[0].past_games:
        roles = [role(config, member) for member in members]
    else:
        roles = [*KEEPERS] if len(members) == 2 else [other(config["robot_seat"])]
    if config["roles"] == EXCHANGED and hand.options["block"] and hand.options["block"] % 2 == 0:
        roles = [other(one) for one in roles]
    return tuple(roles), {seat: config["robot"] for seat in KEEPERS if seat not in roles}


def role(_config: Config, member: Member) -> str:
    """Returns the keeper that a member had in the first block; new pairs are formed with one of each."""
    return member.past_games[0].seat if member.past_games else ""


def pair_cost(config: Config, first: Member, second: Member) -> int:
    """Returns the cost of pairing two members, which matchmaking minimizes.

    It is the number of earlier blocks as a pair. With partners mixed, equal training costs more than that.
    """
    times_met = sum(second.number in block.partners for block in first.past_games)
    same_training = [block.source for block in first.past_games] == [
        block.source for block in second.past_games
    ]
    return times_met + _SAME_TRAINING_COST * (same_training and config["partners"] == MIXED)


_SAME_TRAINING_COST = 10_000  # exceeds any number of earlier blocks

GROUPS = GroupRules(assign_seats, begins, role, pair_cost)


def habits(hands: Sequence[Opening], seed: str) -> list[dict[str, float]]:
    """Returns for each hand the strengths of the ways of playing of the robot ``routinizing``.

    They are the ``Routinizing.strengths`` of a player who has played the earlier hands alone.
    """
    player = Routinizing(Random(f"{seed}, practice of the robot"))
    rows: list[dict[str, float]] = []
    for hand in hands:
        rows.append({way: round(strength, 6) for way, strength in player.strengths.items()})
        state = rules.start(hand.deal, {**hand.options, "players": 1})
        while not rules.is_over(state):
            state = rules.apply(state, SEAT, player(state, SEAT))
        player.remember()
    return rows
