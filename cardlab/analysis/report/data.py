"""Gathers the data of a report as data frames: hands, conditions, participants and data quality."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from sys import intern
from types import MappingProxyType
from typing import Any

import pandas as pd

from cardlab.analysis import baselines, exclusions, persons, progress
from cardlab.analysis import hands as table_of_hands
from cardlab.analysis.browser_events import Person, Reported
from cardlab.analysis.folding import history
from cardlab.analysis.inference.clusters import find_clusters
from cardlab.analysis.report import quality
from cardlab.analysis.source_hand import Row, SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.registry import Game
from cardlab.games.tables import HAND_IDENTITY_COLUMNS, PART_COLUMNS, PARTICIPANT_ID_COLUMNS

# Settings that may differ between hands and are not treatments.
_NOT_A_TREATMENT = (
    *("seed", "Path", "ShowFileName", "settings_file", "robots"),
    *("learning_hands", "familiar_route"),  # they follow from the deals
)

_FILE, TREATMENT = "show_file", "treatment"

# Columns that stay text even if all cells are empty, such as the session in logs.
_TEXT_COLUMNS = (*PARTICIPANT_ID_COLUMNS, *HAND_IDENTITY_COLUMNS)

# Columns with few different texts. Each text is stored once, to save memory.
_INTERNED = {
    *("session_code", "session_created_utc", "participant_code", "app", "settings"),
    *("show_file", "show_file_sha256", "card_lab_version"),
}

pd.set_option("mode.copy_on_write", True)  # otherwise adding a column copies all the others

MAX_CONDITIONS = 12  # that lines and markers can distinguish
PARTICIPANT_KEY = ["session_code", "participant_code"]


@dataclass(frozen=True)
class ReportData:
    """The frames of a report.

    Attributes:
        game: The game of all hands.
        hands: One row for each hand and seat of a participant. ``condition`` is the participant's. ``place``
            is the number of the hand among the participant's hands that count (empty for practice and open
            hands), and ``number`` its number in the design without practice. ``group`` is the number of the
            cluster: the participants who have met directly or through others. With a column that names
            persons, also ``persons.COLUMNS``.
        all_hands: One row for each hand and seat, robots included, with the cells that ``python -m
            cardlab.analysis hands`` writes, and the condition.
        participants: One row for each participant, with the measures of the game.
        parts: One row for each part of a hand, by the name of the table.
        quality: One row for each session, with counts.
        settings: One row for each setting and value, with the number of hands.
        thresholds: The thresholds of the game's measures.
        searches: Whether measures may search for good play, which takes long.
        exclusions: One row for each exclusion rule (``exclusions.COLUMNS``).
    """

    game: Game
    hands: pd.DataFrame
    all_hands: pd.DataFrame
    participants: pd.DataFrame
    parts: dict[str, pd.DataFrame]
    quality: pd.DataFrame
    settings: pd.DataFrame
    thresholds: Any
    searches: bool
    exclusions: pd.DataFrame

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The hands that count: those that are over, without practice."""
        counts = self.hands["place"].notna()
        return self.hands if counts.all() else self.hands[counts]

    @cached_property
    def baselines(self) -> pd.DataFrame:
        """The game's baselines on the hands that count (:func:`baselines.baseline_rows`)."""
        texts = self.counted[["deal", "settings", "seat"]].astype(object)
        return baselines.baseline_rows(self.counted.assign(**texts.where(texts.notna(), "")), self.game)

    @cached_property
    def learning_hands(self) -> int | None:
        """The number of hands in the learning phase; None if there is none, or if it differs."""
        threshold = getattr(self.thresholds, "learning_hands", 0)
        if threshold:
            return int(threshold)
        texts = self.counted["settings"].dropna().unique()
        numbers = {int(json.loads(text).get("learning_hands") or 0) if text else 0 for text in texts}
        return numbers.pop() or None if len(numbers) == 1 else None

    @property
    def caveats(self) -> list[str]:
        """Sentences with limitations of the data that a reader of the report must know."""
        sentences = []
        from_logs = len(one_row_per_hand(self.hands[self.hands["practice"].fillna("").eq("")]))
        if from_logs:
            subject = "hand is" if from_logs == 1 else "hands are"
            sentences.append(
                f"{from_logs} {subject} known only from logs. Logs do not mark practice hands, "
                "so they all count."
            )
        learning, max_number = getattr(self.thresholds, "learning_hands", 0), self.counted["number"].max()
        if learning and learning >= max_number:
            sentences.append(
                f"learning_hands={learning}: nobody has played more than {max_number:g} hands that "
                "count, so no hand comes after the learning hands and measures of later hands "
                "are empty."
            )
        return sentences

    def counted_parts(self, name: str, seat: str = "") -> pd.DataFrame:
        """Returns the parts of hands that count, with condition and group of the participant.

        ``name`` is the name of the table. ``hand_place`` is the number of the hand among those that count.
        ``seat`` names the column with the seat if the game has several.
        """
        parts, keys = self.parts[name], ["hand_id", *([seat] if seat else [])]
        players = self.counted[["hand_id", "seat", "condition", "participant_code", "group"]].assign(
            hand_place=self.counted["place"]
        )
        players = players.rename(columns={"seat": seat}) if seat else players.drop(columns="seat")
        return parts.merge(players, on=keys)


def gather_data(
    hands: Iterable[SourceHand],
    thresholds: dict[str, float],
    by: str = "",
    searches: bool = True,
    damaged: Mapping[str, int] | None = None,
    reported: Mapping[Person, Reported] = MappingProxyType({}),
    person: str = "",
    same_deals: bool = False,
    rules: Sequence[exclusions.Rule] = (),
) -> ReportData:
    """Gathers the data of a report in one pass over the hands of a game.

    Parameters:
        hands: the hands.
        thresholds: those that differ from the game's defaults.
        by: the column or setting that defines the conditions. By default they are the treatments, or if
            there are none, the settings that differ between participants.
        searches: whether measures may search for good play.
        damaged: by session, the number of excluded hands. It is read after all hands.
        reported: what the browsers of participants reported.
        person: the column that names persons, which is hashed. By default each participant of a session is a
            person.
        same_deals: whether only hands count whose deals were played in every condition.
        rules: the rules that exclude participants and hands.

    Raises:
        BadFile: if the games differ, or a threshold, column or setting is unknown.
    """
    rows: list[list[Any]] = []
    parts: dict[str, list[Row]] = defaultdict(list)
    counts = quality.QualityCounts(reported)
    names: list[str] = []
    for game, hand in table_of_hands.pair_with_game(hands):
        names = names or list(table_of_hands.table_columns(game))
        for name in _INTERNED & hand.cells.keys():
            hand.cells[name] = intern(hand.cells[name])
        rows += [
            [row.get(name, "") for name in names] for row in table_of_hands.measure_hand(hand, game, searches)
        ]
        if hand.from_log:
            continue
        counts.add(hand, game.rules)
        for name, (_columns, measure_parts) in game.measures.PARTS.items():
            identity = {column: hand.cells.get(column, "") for column in PART_COLUMNS} | {"hand": hand.number}
            parts[name] += [{**identity, **part} for part in measure_parts(history(hand, game.rules))]
    all_rows = pd.DataFrame(rows, columns=names, dtype=object)
    del rows
    is_participant = _is_participant(all_rows)
    if not is_participant.any():
        raise BadFile(all_rows["source"][0], "No hand in this file belongs to a participant.")
    if person:
        all_rows = persons.add_persons(all_rows, person)
    participant_rows = all_rows[is_participant].reset_index(drop=True)
    options = {text: json.loads(text) if text else {} for text in participant_rows["settings"].unique()}
    settings = participant_rows["settings"].map(options.get)
    participant_rows["condition"] = _find_conditions(participant_rows, settings, by)
    participant_rows["place"] = _number_counted_hands(participant_rows, same_deals, rules)
    participant_rows["group"], participant_rows["number"] = (
        _find_groups(participant_rows),
        _number_hands(participant_rows),
    )
    all_rows["condition"] = ""
    all_rows.loc[is_participant, "condition"] = participant_rows["condition"].to_numpy()
    numeric = [
        name
        for name in participant_rows
        if name not in ("place", "group") and _is_numeric(participant_rows[name])
    ]
    frame = participant_rows.assign(
        **{name: pd.to_numeric(participant_rows[name], errors="coerce") for name in numeric}
    )
    limits = make_thresholds(game, thresholds)
    progress.show("Computing measures of participants")
    participants = _measure_participants(participant_rows, game, limits)
    progress.show("")
    counted = participant_rows[_can_count(participant_rows)]
    excluded = exclusions.count_excluded(counted, rules, exclusions.HANDS)
    excluded += exclusions.count_excluded(participants, rules, exclusions.PARTICIPANTS)
    is_out = exclusions.find_excluded(participants, rules, exclusions.PARTICIPANTS)
    if is_out.any():
        out = pd.MultiIndex.from_frame(participants.loc[is_out, PARTICIPANT_KEY])
        participants = participants[~is_out].reset_index(drop=True)
        frame = frame[~pd.MultiIndex.from_frame(frame[PARTICIPANT_KEY]).isin(out)].reset_index(drop=True)
    if participants.empty:
        raise BadFile(all_rows["source"][0], "The rules of exclusion leave no participant.")
    columns = {name: list(table[0]) for name, table in game.measures.PARTS.items()}
    return ReportData(
        game,
        frame,
        all_rows,
        participants,
        {
            name: pd.DataFrame(parts[name], columns=[*PART_COLUMNS, *part_columns])
            for name, part_columns in columns.items()
        },
        counts.frame(damaged or {}),
        _count_settings(participant_rows, settings),
        limits,
        searches,
        pd.DataFrame(excluded, columns=list(exclusions.COLUMNS)),
    )


def _is_participant(rows: pd.DataFrame) -> pd.Series:
    """Returns whether each row belongs to a participant.

    Logs of the original program may have no code; all of them count as those of one participant.
    """
    return (rows["participant_code"] != "") | (rows["app"] == "")


def _is_numeric(column: pd.Series) -> bool:
    """Returns whether the cells are numbers or empty; texts stay texts, such as the route 422."""
    values = column[column != ""]
    return (
        not any(isinstance(value, str) for value in values)
        if len(values)
        else column.name not in _TEXT_COLUMNS
    )


def make_thresholds(game: Game, values: Mapping[str, float]) -> Any:
    """Returns the game's thresholds with the given changes. Raises BadFile."""
    defaults = game.performance.thresholds()
    for name, value in values.items():
        if name not in defaults._fields:
            raise BadFile("--threshold", f"{game.title} has no threshold {name}.")
        choices = game.performance.threshold_choices.get(name)
        if choices and value not in choices:
            raise BadFile("--threshold", f"{name} must be {' or '.join(map(str, choices))}, not {value:g}.")
        if isinstance(getattr(defaults, name), int):
            if not value >= 0 or value % 1:
                raise BadFile("--threshold", f"{name} must be a whole number, 0 or more, not {value:g}.")
        elif not 0 <= value <= 1:
            raise BadFile("--threshold", f"{name} must be a share from 0 to 1, not {value:g}.")
    return defaults._replace(**{name: type(getattr(defaults, name))(value) for name, value in values.items()})


def _number_counted_hands(
    frame: pd.DataFrame, same_deals: bool, rules: Sequence[exclusions.Rule]
) -> pd.Series:
    counts = _can_count(frame) & ~exclusions.find_excluded(frame, rules, exclusions.HANDS)
    counted_hands = frame[counts].sort_values("hand", kind="stable")
    if same_deals:
        counted_hands = _keep_common_deals(counted_hands)
    return counted_hands.groupby(PARTICIPANT_KEY).cumcount() + 1


def _can_count(frame: pd.DataFrame) -> pd.Series:
    """Returns which hands are over and not practice. A log may have no outcome."""
    return (frame["outcome"] != "open") & (frame["client_seconds"] != "") & _is_not_practice(frame)


def _keep_common_deals(hands: pd.DataFrame) -> pd.DataFrame:
    """Returns the hands whose deals were played in every condition. Raises BadFile if there is none."""
    conditions = hands.groupby("deal")["condition"].transform("nunique")
    common = hands[conditions == hands["condition"].nunique()]
    if not len(common):
        raise BadFile("--same-deals", "No deal was played in every condition.")
    return common


def _is_not_practice(frame: pd.DataFrame) -> pd.Series:
    return ~frame["practice"].isin(["1", "1.0"])


def one_row_per_hand(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Reduces rows for each seat to one row per hand, or per hand and value of the given columns.

    Rows without ``hand_id`` are all kept. They are from logs of hands with one seat.
    """
    return frame[~frame.duplicated(["hand_id", *columns]) | (frame["hand_id"] == "")]


def _find_conditions(frame: pd.DataFrame, settings: pd.Series, by: str) -> Any:
    """Returns the condition of each row's participant; without ``by``, the treatment if there are several."""
    if not by and frame[TREATMENT].nunique() > 1:
        by = TREATMENT
    if not by:
        return _conditions_from_settings(frame, settings)
    if by in frame:
        conditions = frame[by].astype(str).replace("", "none")
    else:
        values = settings.map(lambda options: options.get(by))
        if values.isna().all():
            raise BadFile("--by", f"There is no column or setting {by!r} to define conditions.")
        conditions = values.map(lambda value: f"{by} {value}")
    counted_conditions, keys = conditions[_is_not_practice(frame)], [frame[name] for name in PARTICIPANT_KEY]
    if counted_conditions.nunique() > MAX_CONDITIONS:
        raise BadFile(
            "--by", f"{by} makes {counted_conditions.nunique()} conditions. The limit is {MAX_CONDITIONS}."
        )
    if (counted_conditions.groupby(keys).nunique() > 1).any():
        raise BadFile(
            "--by", f"{by} differs between the hands of one participant, so it cannot define conditions."
        )
    return (
        counted_conditions.groupby(keys).first().reindex(pd.MultiIndex.from_arrays(keys)).fillna("none").array
    )


def _conditions_from_settings(frame: pd.DataFrame, settings: pd.Series) -> pd.Series:
    """Returns for each row the settings that differ between participants, but not within any of them."""
    people = list(zip(frame["session_code"], frame["participant_code"]))
    kinds = zip(people, frame["settings"], frame["show_file"], _is_not_practice(frame))
    options = dict(zip(frame["settings"], settings))
    values: dict[Any, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))  # by person and setting
    for person, text, file, is_counted in dict.fromkeys(kinds):
        for key, value in _treatment_settings(options[text], file).items() if is_counted else ():
            values[person][key].add(str(value))
    keys = dict.fromkeys(key for own in values.values() for key in own)
    # A setting that varies within a participant is not a treatment.
    varying = [
        key
        for key in keys
        if all(len(own[key]) <= 1 for own in values.values())
        and len({tuple(own[key]) for own in values.values()}) > 1
    ]
    names = {
        person: ", ".join(
            value if key == _FILE else f"{key} {value}" for key in varying for value in own[key]
        )
        for person, own in values.items()
    }
    return pd.Series([names.get(person) or "all" for person in people], index=frame.index)


def _treatment_settings(options: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Returns the settings that may belong to a treatment.

    If the hands are in blocks, the deal file of the first block belongs to it, because it is the training.
    """
    terms = {key: value for key, value in options.items() if key not in _NOT_A_TREATMENT}
    return {**terms, _FILE: file} if file and options.get("block", 1) == 1 else terms


def _find_groups(frame: pd.DataFrame) -> Any:
    person_keys = frame["session_code"] + "/" + frame["participant_code"]
    who = frame.get(persons.PERSON, person_keys)
    return find_clusters(who, frame["hand_id"].where(frame["hand_id"] != "", person_keys))


def _measure_participants(rows: pd.DataFrame, game: Game, thresholds: Any) -> pd.DataFrame:
    measures, rows_found = game.performance.participant_measures, []
    rows = rows.assign(order=rows.groupby(PARTICIPANT_KEY, sort=False).ngroup())
    counted_rows = rows[rows["place"].notna()].sort_values(["order", "place"])
    dealt_hands = counted_rows.drop_duplicates(list(baselines.Dealt._fields))
    times = baselines.count_repetitions(baselines.iterate_records(dealt_hands))
    records, hand_counts = (
        baselines.iterate_records(counted_rows.drop(columns="order")),
        counted_rows["order"].value_counts(),
    )
    further = persons.COLUMNS if persons.PERSON in rows else ()
    identity_columns = [*PARTICIPANT_KEY, "participant_label", *further, "condition"]
    participants = rows.drop_duplicates(PARTICIPANT_KEY)[identity_columns]
    for number, identity in enumerate(participants.itertuples(index=False, name=None)):
        hands = list(islice(records, hand_counts.get(number, 0)))
        values = [measure(hands, thresholds) for measure in measures]
        baseline = baselines.participant_baselines(hands, game, thresholds, times)
        rows_found.append([*identity, *values, *baseline.values()])
    names = [*identity_columns, *(measure.__name__ for measure in measures)]
    names += baselines.baseline_columns(game)
    table = pd.DataFrame(rows_found, columns=names)
    table.insert(3, "name", _name_participants(table))
    return table


def _number_hands(person_rows: pd.DataFrame) -> pd.Series:
    """Returns the number of each hand in the design, without the practice hands, which come first."""
    practice = ~_is_not_practice(person_rows)
    return person_rows["hand"].astype(int) - practice.groupby(
        [person_rows[name] for name in PARTICIPANT_KEY]
    ).transform("sum")


def _name_participants(participants: pd.DataFrame) -> list[str]:
    names = participants["participant_label"].where(
        participants["participant_label"] != "", participants["participant_code"]
    )
    repetition = names.groupby(names).cumcount() + 1
    return [f"{name} ({number})" if number > 1 else name for name, number in zip(names, repetition)]


def _count_settings(frame: pd.DataFrame, settings: pd.Series) -> pd.DataFrame:
    """Returns every setting with its values, the most frequent first, and the numbers of hands."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    each = one_row_per_hand(frame)
    options = dict(zip(frame["settings"], settings))
    for (text, source, app), hands in Counter(zip(each["settings"], each["show_file"], each["app"])).items():
        deals_from = source or ("seed" if app else "")  # logs do not know it
        for key, value in {**options[text], "deals from": deals_from}.items():
            counts[key][json.dumps(value) if isinstance(value, (dict, list)) else str(value)] += hands
    rows = [
        (key, value, number)
        for key, values in counts.items()
        for value, number in sorted(values.items(), key=lambda item: -item[1])
        if value != ""
    ]
    return pd.DataFrame(rows, columns=["setting", "value", "hands"])


def add_panel_names(data: ReportData, frame: pd.DataFrame) -> pd.DataFrame:
    """Adds the column ``panel``, the name of the participant in plots."""
    participants = data.participants
    names = dict(
        zip(zip(participants["session_code"], participants["participant_code"]), participants["name"])
    )
    return frame.assign(panel=[names[key] for key in zip(frame["session_code"], frame["participant_code"])])
