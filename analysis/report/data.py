"""What a report is made from: the hands of a session as data frames, with conditions and data quality."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis import hands as table_of_hands
from analysis.actions_table import TableHand
from analysis.game import Game
from analysis.hands import Hand, Row
from analysis.report import quality
from games.contract import BadFile
from games.tables import PART_COLUMNS

# Settings that tell hands apart without being a treatment.
_NO_TREATMENT = ("seed", "Path", "ShowFileName", "settings_file", "robots")

_FILE = "show_file"

WHO = ["session_code", "participant_code"]


@dataclass(frozen=True)
class Data:
    """The frames of a report, one row for each

    ``hands``         hand and seat of a participant; ``condition`` is its participant's, ``place`` its number
                      among the participant's hands that count, empty for practice and for what is not over
    ``participants``  participant, with the measures of the game
    ``parts``         part of a hand, by the name of the table
    ``quality``       session, counting what an analyst should know before trusting the rest
    ``settings``      setting, with the values in force and how many hands had them
    ``thresholds`` are those of the game's classes; ``search_seconds`` is how long the best play of a deal may
    be searched for, 0 for not at all.
    """

    game: Game
    hands: pd.DataFrame
    participants: pd.DataFrame
    parts: dict[str, pd.DataFrame]
    quality: pd.DataFrame
    settings: pd.DataFrame
    thresholds: Any
    search_seconds: float

    @property
    def counted(self) -> pd.DataFrame:
        """The hands that count: over, and no practice."""
        return self.hands[self.hands["place"].notna()]

    @property
    def conditions(self) -> list[str]:
        return sorted(self.hands["condition"].unique())


def gathered(
    hands: Iterable[Hand], thresholds: dict[str, float], by: str = "", search_seconds: float = 0
) -> Data:
    """The data of a report in one pass over the hands.

    ``thresholds`` are those that differ from the game's defaults; ``by`` names the column or setting that
    makes the conditions, without it they are made of the settings that differ between participants.
    BadFile as :func:`analysis.hands.rows`, and for a name that is none.
    """
    kept: list[Hand] = []
    rows: list[Row] = []
    parts: dict[str, list[Row]] = defaultdict(list)
    counts = quality.Counts()

    def passing() -> Iterable[Hand]:
        for hand in hands:
            kept[:] = [hand]
            yield hand

    game, told = None, ""
    for game, row in table_of_hands.rows(passing()):
        rows.append({name: row.get(name, "") for name in table_of_hands.columns(game)})
        (hand,) = kept
        if not isinstance(hand, TableHand) or hand.hand_id == told:
            continue  # a hand of several seats is one hand
        told = hand.hand_id
        counts.add(hand, game.rules)
        for name, (_columns, of_hand) in game.measures.PARTS.items():
            own = {column: hand.cells.get(column, "") for column in PART_COLUMNS} | {"hand": hand.number}
            told_parts = of_hand(hand.deal, hand.options, hand.events, hand.shown_ms)
            parts[name] += [{**own, **part} for part in told_parts]
    frame = pd.DataFrame(rows).astype({"participant_label": str})
    robots = (frame["participant_code"] == "") & (frame["app"] != "")  # a log may name nobody
    frame = frame[~robots].reset_index(drop=True)
    settings = frame["settings"].map(lambda text: json.loads(text) if text else {})
    frame["condition"] = _conditions(frame, settings, by)
    frame["place"] = _places(frame)
    numeric = [column for column in frame if column not in _TEXT and not _is_text(frame[column])]
    frame[numeric] = frame[numeric].apply(pd.to_numeric, errors="coerce")
    limits = _thresholds(game, thresholds)
    columns = {name: list(table[0]) for name, table in game.measures.PARTS.items()}
    return Data(
        game,
        frame,
        _participants(frame, rows, game, limits),
        {name: pd.DataFrame(parts[name], columns=[*PART_COLUMNS, *own]) for name, own in columns.items()},
        counts.frame(),
        _settings(frame, settings),
        limits,
        search_seconds,
    )


_TEXT = {*WHO, "participant_label", "sequence", "route", "deal", "settings", "hand_id", "condition", "seat"}


def _is_text(column: pd.Series) -> bool:
    return any(isinstance(value, str) and value and not _is_number(value) for value in column.unique())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _thresholds(game: Game, given: dict[str, float]) -> Any:
    known = game.performance.Thresholds()
    unknown = given.keys() - set(known._fields)
    if unknown:
        raise BadFile("--threshold", f"{game.title} has no threshold {', '.join(sorted(unknown))}.")
    return known._replace(**given)


def _places(frame: pd.DataFrame) -> pd.Series:
    over = (frame["outcome"] != "open") & (frame["client_seconds"] != "")  # a log may tell no outcome
    counted = frame[over & frame["practice"].astype(str).isin(["0", "", "0.0"])]
    counted = counted.assign(hand=pd.to_numeric(counted["hand"])).sort_values("hand", kind="stable")
    return counted.groupby(WHO).cumcount() + 1


def _conditions(frame: pd.DataFrame, settings: pd.Series, by: str) -> pd.Series:
    if by in frame:
        return frame[by].astype(str).replace("", "none")
    if by:
        values = settings.map(lambda options: options.get(by))
        if values.isna().all():
            raise BadFile("--by", f"There is no column and no setting {by!r} to make conditions of.")
        return values.map(lambda value: f"{by} {value}")
    terms = settings.map(
        lambda options: {key: value for key, value in options.items() if key not in _NO_TREATMENT}
    )
    terms = [
        {**own, _FILE: name} if name else own for own, name in zip(terms, frame["show_file"])
    ]  # fmt: skip
    who = list(zip(frame["session_code"], frame["participant_code"]))
    counted = [str(practice) not in ("1", "1.0") for practice in frame["practice"]]
    of_one: dict[Any, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for person, own, counts in zip(who, terms, counted):
        for key, value in own.items() if counts else ():
            of_one[person][key].add(str(value))
    keys = dict.fromkeys(key for own in of_one.values() for key in own)
    # What varies within a participant is no treatment of theirs.
    varying = [
        key
        for key in keys
        if all(len(own[key]) <= 1 for own in of_one.values())
        and len({tuple(own[key]) for own in of_one.values()}) > 1
    ]
    names = {
        person: ", ".join(
            value if key == _FILE else f"{key} {value}" for key in varying for value in own[key]
        )
        for person, own in of_one.items()
    }
    return pd.Series([names.get(person) or "all" for person in who], index=frame.index)


def _participants(frame: pd.DataFrame, rows: list[Row], game: Game, thresholds: Any) -> pd.DataFrame:
    people = [row for row in rows if row["participant_code"] != "" or row["app"] == ""]
    measures = game.performance.PARTICIPANT_MEASURES
    found = []
    for (session, code), own in frame.groupby(WHO, sort=False):
        counted = own[own["place"].notna()].sort_values("place")
        hands = [people[index] for index in counted.index]
        identity = [session, code, own["participant_label"].iloc[0], own["condition"].iloc[0]]
        found.append([*identity, *(measure(hands, thresholds) for measure in measures)])
    names = [*WHO, "participant_label", "condition", *(measure.__name__ for measure in measures)]
    return pd.DataFrame(found, columns=names)


def _settings(frame: pd.DataFrame, settings: pd.Series) -> pd.DataFrame:
    """Every setting with its values, the most frequent first, and how many hands had it."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for own, source in zip(settings, frame["show_file"]):
        for key, value in {**own, "deals from": source or "seed"}.items():
            counts[key][json.dumps(value) if isinstance(value, (dict, list)) else str(value)] += 1
    found = [
        (key, value, number)
        for key, values in counts.items()
        for value, number in sorted(values.items(), key=lambda item: -item[1])
        if value != ""
    ]
    return pd.DataFrame(found, columns=["setting", "value", "hands"])
