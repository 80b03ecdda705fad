"""Reads the hands that the board opens: from tables, logs and deal files, or a deal as text."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis import sources
from cardlab.analysis.games import module
from cardlab.analysis.hands import find_game
from cardlab.analysis.replay.choice import choose_seat, participants_by_seat
from cardlab.analysis.simulation.source_files import deal_file_reader
from cardlab.analysis.source_hand import RecordedHand, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile
from cardlab.games.registry import Game, games_by_name
from cardlab.games.simulation import deal_session, load_simulation

Warn = Callable[[str], None]


class Start(NamedTuple):
    """A hand to open. ``seat`` is the seat from which it is shown, None for the first.

    ``end`` is the recorded outcome, "" if there is none.
    """

    title: str
    game: str
    record: RecordedHand
    seat: str | None = None
    end: str = ""


def read_starts(
    names: Sequence[str], game: str | None, settings: Mapping[str, str], warn: Warn
) -> list[Start]:
    """Returns the hands of the named files, or a deal as text.

    With ``game`` the files are deal files of this game, read with ``settings``. Raises BadFile.
    """
    if len(names) == 1 and "|" in names[0] and not Path(names[0]).exists():
        return read_deals(names[0], "deal", game, settings)
    if game:  # its deal files may be named without their folder
        files = deal_file_reader(game)
        texts = {name: files(name, "deal file").text for name in names}
    else:
        texts = {name: _read_text(Path(name)) for name in names}
    if game or settings:
        return [start for name, text in texts.items() for start in read_deals(text, name, game, settings)]
    starts_by_file = [_read_own_log(text, name) for name, text in texts.items()]
    if any(starts_by_file):
        return [start for starts in starts_by_file for start in starts or ()]
    if len(names) == 1 and not (sources.is_table(Path(names[0])) or sources.is_log(Path(names[0]))):
        return read_deals(texts[names[0]], names[0], None, {})
    return list(_starts_of_hands(sources.read_hands([*map(Path, names)], warn), warn))


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise BadFile(str(path), "There is no such file. A deal contains at least one |.")
    return path.read_bytes().decode("utf-8-sig", "replace")


def _read_own_log(text: str, name: str) -> list[Start] | None:
    """Returns the hands of a log that only the board can read; None for another text."""
    for game in games_by_name():
        board_module = module(game, "board")
        starts: list[Start] | None = (
            board_module.read_log(text, name) if board_module and hasattr(board_module, "read_log") else None
        )
        if starts is not None:
            return starts
    return None


def _starts_of_hands(hands: Iterable[SourceHand], warn: Warn) -> Iterator[Start]:
    for hand in hands:
        game = find_game(hand)
        record = hand.record()
        if record is None:
            warn(f"Hand {hand.hand_id} was left out: its log does not have the goal.")
            continue
        participants = ", ".join(dict.fromkeys(participants_by_seat(hand).values()))
        practice = "practice hand" if hand.cells.get("practice") == "1" else "hand"
        end = hand.end.end_outcome if hand.end else None
        title = f"{participants or hand.hand_id} · {practice} {hand.number}"
        yield Start(title, game.name, record, choose_seat(hand, None), end or "")


# Deals.


def read_deals(text: str, name: str, game: str | None, settings: Mapping[str, str]) -> list[Start]:
    """Returns the deals of a text. Without ``game`` all games are tried. Raises BadFile."""
    games = games_by_name()
    if game is not None:
        return _read_deals_of(games[game], text, name, settings)
    for possible_game in games.values():
        try:
            return _read_deals_of(possible_game, text, name, settings)
        except BadFile:
            continue
    raise BadFile(
        name if name != "deal" else "the deal",
        "This is neither a table of actions, nor a log, nor a deal of any game. "
        f"To see what is wrong with a deal, name its game: --game {' or '.join(games)}.",
    )


def _read_deals_of(game: Game, text: str, name: str, settings: Mapping[str, str]) -> list[Start]:
    """Returns the deals of a game, with the first of its ``DEAL_SETTINGS`` that can read them."""
    board_module = module(game.name, "board")
    alternatives: Sequence[Mapping[str, str]] = getattr(board_module, "DEAL_SETTINGS", ({},))
    errors = []
    for alternative in alternatives:
        try:
            return _deal(game, text, name, {**alternative, **settings})
        except BadFile as error:
            errors.append(error)
    try:
        if not settings:
            game.rules.start(text.strip(), {})
            return [Start("a deal", game.name, RecordedHand(text.strip(), {}, ()))]
    except ValueError:
        pass
    raise errors[0]


def _deal(game: Game, text: str, name: str, settings: Mapping[str, str]) -> list[Start]:
    files = deal_file_reader(game.name)

    def read(wanted: str, description: str) -> DealFile:
        if wanted != name:
            return files(wanted, description)
        return DealFile(Path(name).name, text, hashlib.sha256(text.encode()).hexdigest())

    session = deal_session(load_simulation(game), settings, name, None, "", read)
    openings = session.hands_by_group[0]
    return [
        Start(
            f"deal {number} of {len(openings)}" if len(openings) > 1 else "a deal",
            game.name,
            RecordedHand(opening.deal, without_robots(opening.options), ()),
        )
        for number, opening in enumerate(openings, 1)
    ]


def without_robots(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings without the robots, so that the user moves all seats."""
    return {name: value for name, value in options.items() if name != "robots"}
