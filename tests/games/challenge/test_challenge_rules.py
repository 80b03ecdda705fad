"""Tests the rules of Challenge as hands: the effect of each action, and the refusals."""

import json

import pytest

from cardlab.games.challenge import rules
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.packs import pack
from cardlab.games.challenge.rules import AHEAD
from cardlab.games.challenge.search import best_move
from cardlab.games.contract import IllegalAction

DEAL = "KS AH AC KC | AS KH AD KD | participant"
COMPUTER = {"robots": {"N": "computer"}}
ANALYSING = {**COMPUTER, "analysing": True}
NO_MOVE = "Unknown move. Play a card or pick up."


def play(*actions, deal=DEAL, size=2, **options):
    """Returns the state after these actions, each by the seat that must act unless one is named before it."""
    state = rules.start(deal, {"size": size, **options})
    for action in actions:
        seat, what = action.split(": ") if ": " in action else (rules.waiting_for(state)[0], action)
        state = rules.apply(state, seat, what)
    return state


def refused(state, action, seat=None):
    with pytest.raises(IllegalAction) as why:
        rules.apply(state, seat or rules.waiting_for(state)[0], action)
    assert action not in rules.legal_actions(state, seat or rules.waiting_for(state)[0])
    return why.value.sentence


# ---------------------------------------------------------------- dealing


def test_a_seed_deals_and_the_non_dealer_leads():
    for dealer, leads in (("computer", "S"), ("participant", "N")):
        state = rules.start(rules.deal("a", {"size": 3, "dealer": dealer, "trumps": "CD"}), {"size": 3})
        assert state.mover == leads
        assert sorted(state.position.cards) == sorted(pack(3))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"size": 0}, "size must be a whole number from 1 to 13"),
        ({"size": True}, "size must be"),
        ({"depth": 21}, "depth must be"),
        ({"claims_limit": -1}, "claims_limit must be a whole number from 0 to 1000"),
        ({"claims_limit": None}, "claims_limit must be"),
        ({"show": "none"}, "show must be all or own, not 'none'"),
        ({"trumps": "SS"}, "two different suits"),
        ({"trumps": 7}, "two different suits"),
        ({"after_pickup": "picker"}, "after_better lead"),
        ({"moves": "KD KC"}, "Move 2 of the game, KC, cannot be played"),
        ({"moves": "z z p"}, "Move 3 of the game, p, cannot be played"),
        ({"moves": "no"}, "Move 1 of the game"),
    ],
)
def test_invalid_options_are_refused_in_words(options, what):
    with pytest.raises(ValueError, match=what):
        rules.start(DEAL, {"size": 2, **options})


def test_a_game_continues_after_its_logged_moves():
    state = play(size=2, moves="KD KS AS p")
    assert state.positions == play("play KD", "play KS", "play AS", "pick up").positions
    assert (state.moves, state.occurrences) == (("KD", "KS", "AS", "pick up"), 1)


# ---------------------------------------------------------------- moves


def test_whole_game_is_played():
    state = play("play KD", "pick up", "play AD", "pick up", "play AS", "pick up")
    assert rules.waiting_for(state) == ("S",)
    assert state.picked_up("N") == 3
    state = rules.apply(state, "S", "play KH")
    assert (state.ended, state.winner, rules.is_over(state)) == ("out", "S", True)
    assert rules.waiting_for(state) == ()
    assert rules.legal_actions(state, "S") == rules.legal_actions(state, "N") == []
    assert refused_when_over(state) == "The game is over."
    assert rules.result(state, "S", 0).outcome == "won"
    assert rules.result(state, "N", 0) == (
        0,
        {"cards_left": 7, "cards_of_other": 0, "pick_ups": 3, "pick_ups_of_other": 0, "actions": 7},
        "lost",
    )


def refused_when_over(state):
    with pytest.raises(IllegalAction) as why:
        rules.apply(state, "S", "play KH")
    return why.value.sentence


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        ([], "play KS", "You do not have this card."),
        ([], "pick up", "There is nothing to pick up. Play a card."),
        (
            ["play KD"],
            "play AC",
            "This card does not beat the one on top. Play a higher card of its suit or one",
        ),
        (["play KD", "play KS"], "play AD", "This card does not beat the one on top"),
        (
            ["play AS"],
            "play KS",
            "The card on top is one of your trumps. Only a higher one beats it. You may",
        ),
        ([], "play 7Z", NO_MOVE),
        ([], "PLAY KD", NO_MOVE),
        ([], "", NO_MOVE),
        ([], "advise KD +0", NO_MOVE),
        ([], "accept", NO_MOVE),
        ([], "back", NO_MOVE),
        ([], "pass", NO_MOVE),
        ([], "setup", NO_MOVE),
        ([], "consult", "You cannot ask the computer for advice in this game."),
        ([], "lift AH", "You do not have this card."),
        (["play KD"], "offer draw", "You can do this only when the table is empty."),
        (["play KD"], "claim win", "You can do this only when the table is empty."),
        (["offer draw", "decline"], "offer draw", "You have already asked. Now make your move."),
        (["offer draw"], "play KD", "First answer the other player: accept or decline."),
    ],
)
def test_impossible_actions_are_refused_in_words(before, action, why):
    assert refused(play(*before), action).startswith(why)


def test_only_resigning_is_possible_out_of_turn():
    state = play("play KD")
    assert refused(state, "play AD", "S") == "It is the other player’s turn."
    assert refused(state, "accept", "S") == "It is the other player’s turn."
    state.options["robots"] = {"N": rules.COMPUTER}
    assert refused(state, "play AD", "S") == "It is the computer’s turn."
    assert rules.legal_actions(state, "S") == ["resign"]
    state = rules.apply(state, "S", "resign")
    assert (state.ended, state.winner) == ("resigned", "N")
    assert [rules.result(state, seat, 0).outcome for seat in "SN"] == ["lost", "won"]
    assert play("offer draw", "resign").winner == "S"  # also instead of an answer


def test_the_original_form_demands_a_lead_after_beating():
    state = play("play KD", "play KS", after_better="lead")
    assert state.mover == "N"
    assert refused(state, "pick up") == "You have beaten the card. Now play another one."
    assert refused(state, "offer draw") == "You can do this only when the table is empty."
    state = rules.apply(state, "N", "play KC")
    assert (state.mover, rules.view(state, "S")["to_lead"]) == ("S", False)
    assert rules.apply(state, "S", "pick up").mover == "N"
    assert play("play KD", "pick up", after_better="lead", after_pickup="picker").mover == "N"


CYCLE = ["play KD", "play KS", "pick up", "play QS", "play KS", "pick up"]
CIRCLING = {"deal": "KS QS AC | KD AD | participant", "size": 3}


def test_a_third_occurrence_is_a_draw():
    state = play(*CYCLE, **CIRCLING)
    assert (rules.view(state, "S")["occurrences"], state.ended) == (2, "")
    state = play(*CYCLE, *CYCLE, **CIRCLING)
    assert (state.occurrences, state.ended, rules.is_over(state)) == (3, "repeated", True)
    assert [rules.result(state, seat, 0)[::2] for seat in "SN"] == [(1, "drawn")] * 2
    analysed = play(*CYCLE, *CYCLE, **CIRCLING, **ANALYSING)
    assert refused(analysed, "play AD") == "The game is over. Undo a move or set up a position."
    back = rules.apply(analysed, "S", "back")
    assert (back.ended, back.occurrences) == ("", 2)
    assert rules.apply(back, "S", "play KS").occurrences == 2  # N to beat it, for the second time


def test_a_game_of_too_many_actions_is_drawn():
    state = play(*CYCLE, max_actions=10, **CIRCLING)
    assert rules.view(state, "S")["left"] == 4
    assert [rules.view(play(max_actions=most), "S")["left"] for most in (50, 51)] == [50, None]
    state = play(*CYCLE, *CYCLE[:4], max_actions=10, **CIRCLING)
    assert (state.left, state.ended, state.winner) == (0, "too_long", "")
    assert rules.result(state, "S", 0)[::2] == (1, "drawn")


# ---------------------------------------------------------------- offers, claims, advice


def test_a_draw_is_offered_and_accepted_or_not():
    state = play("offer draw")
    assert rules.waiting_for(state) == ("N",)
    assert rules.legal_actions(state, "N") == ["accept", "decline", "resign"]
    assert rules.view(state, "N")["asked"] == "offer draw"
    drawn = rules.apply(state, "N", "accept")
    assert (drawn.ended, drawn.winner) == ("agreed", "")
    assert [rules.result(drawn, seat, 0)[::2] for seat in "SN"] == [(1, "drawn")] * 2
    state = rules.apply(state, "N", "decline")
    assert (rules.waiting_for(state), rules.view(state, "S")["answered"]) == (("S",), "decline")
    assert "claim win" in rules.legal_actions(state, "S")  # a different question is allowed
    state = rules.apply(state, "S", "play KD")
    assert (state.put, state.answered) == ((), "")
    state = rules.apply(state, "N", "pick up")
    assert "offer draw" in rules.legal_actions(state, "S")  # once a turn


def test_a_claim_that_is_accepted_wins():
    state = play("claim win", "accept", win=5, loss=-3)
    assert (state.ended, state.winner) == ("claimed", "S")
    assert [rules.result(state, seat, 0)[::2] for seat in "SN"] == [(5, "won"), (-3, "lost")]
    assert not play("claim win", "decline").ended


@pytest.mark.parametrize(
    ("options", "action", "why"),
    [
        ({"draw_offers": False}, "offer draw", "You cannot offer a draw in this game."),
        ({"claims": False}, "claim win", "You cannot claim a win in this game."),
        ({"hints": True}, "consult", "You cannot ask the computer for advice in this game."),  # there is none
        (ANALYSING, "offer draw", "You cannot offer a draw in this game."),
    ],
)
def test_actions_disabled_by_config_are_refused(options, action, why):
    state = play(**options)
    assert action not in rules.legal_actions(state, "S")
    assert refused(state, action) == why


def test_only_the_asking_seat_sees_advice():
    state = play("consult", hints=True, **COMPUTER)
    assert rules.waiting_for(state) == ("N",)
    assert rules.view(state, "S")["may"] == rules.view(state, "N")["may"] == []
    assert refused(state, "accept") == "First answer the other player: accept or decline."
    for wrong in ("advise ", "advise AS", "advise ZZ +1", "advise AS +1 z", "advise AS +12345678"):
        assert refused(state, wrong) == NO_MOVE
    assert refused(state, "advise AS +1", "S") == "It is the computer’s turn."
    advised = rules.apply(state, "N", "advise AS -120 p KD")
    assert rules.waiting_for(advised) == ("S",)
    analysis = {"move": "AS", "standing": "behind", "line": ["pick up", "KD"]}
    assert rules.view(advised, "S")["advice"] == analysis
    assert rules.view(advised, "N")["advice"] is None
    assert "AS" not in json.dumps(rules.view(advised, "N")["last"])
    assert refused(advised, "consult") == "You have already asked. Now make your move."
    assert rules.view(rules.apply(advised, "S", "play KD"), "S")["advice"] is None


@pytest.mark.parametrize(
    ("value", "standing"),
    [
        *((f"{AHEAD:+d}", "ahead"), (f"{-AHEAD:+d}", "behind"), (f"{AHEAD - 1:+d}", "even"), ("+0", "even")),
        *(("=0", "drawn"), ("+1000000", "won"), ("-1000000", "lost")),
    ],
)
def test_value_is_read_in_words(value, standing):
    advised = rules.apply(play("consult", hints=True, **COMPUTER), "N", f"advise AS {value}")
    assert rules.view(advised, "S")["advice"]["standing"] == standing


def test_lifts_and_switches_do_not_change_the_table():
    state = play()
    assert rules.apply(state, "S", "lift AS") == state
    assert rules.apply(state, "N", "lift AH") == state  # at any time
    off = rules.apply(state, "S", "mark off")
    assert [rules.view(off, seat)["marks"] for seat in "SN"] == [False, True]
    assert rules.apply(off, "S", "mark on") == state
    assert state.logged
    unlogged = rules.apply(state, "N", "log off")
    assert not unlogged.logged
    assert rules.apply(unlogged, "S", "log on").logged
    assert play(highlight=False).marks == frozenset()


def test_claims_end_at_the_limit_of_unproved_claims():

    def left(state):
        return [rules.view(state, seat)["claims_left"] for seat in "SN"]

    state = play(claims_limit=2)
    assert left(state) == [2, 2]
    state = play("claim win", "decline", claims_limit=2)
    assert left(state) == [1, 2]
    assert refused(state, "claim win") == "You have already asked. Now make your move."
    state = play("claim win", "decline", "play KD", "pick up", "claim win", "decline", claims_limit=2)
    assert left(state) == [0, 2]
    sentence = "You cannot claim a win again in this game."
    assert refused(state, "claim win") == sentence
    state = rules.apply(rules.apply(state, "S", "play AD"), "N", "pick up")
    assert refused(state, "claim win") == sentence
    assert rules.apply(state, "S", "offer draw").asked == "offer draw"  # other questions are not counted


def test_only_declined_claims_count_towards_the_limit():
    assert play("claim win", "accept", claims_limit=1).ended == "claimed"
    state = play("offer draw", "decline", "claim win", "accept", claims_limit=1)
    assert state.ended == "claimed"


@pytest.mark.parametrize("options", [{}, {"claims_limit": 0}])
def test_records_without_a_limit_count_no_claims(options):
    state = play(*["claim win", "decline", "play KD", "pick up"], **options)
    assert rules.view(state, "S")["claims_left"] is None
    assert "claim win" in rules.legal_actions(state, "S")


def test_an_open_claim_does_not_count_as_failed():
    assert rules.view(play("claim win", claims_limit=1), "S")["claims_left"] == 1


# ---------------------------------------------------------------- analysis


def test_back_undoes_everything_since_the_previous_turn():
    state = play(**ANALYSING)
    assert refused(state, "back") == "This is your first turn: you cannot go back further."
    after = play("play KD", "play KS", **ANALYSING)
    back = rules.apply(after, "S", "back")
    assert (back.positions, back.moves, back.occurrences) == (state.positions, (), 1)
    assert back.last == ("S", "back")
    again = play("play KD", "pick up", "play AD", "pick up", "back", "back", "play KD", **ANALYSING)
    assert again.moves == ("KD",)


def test_an_ended_game_continues_in_analysis():
    state = play("play KD", "pick up", "play AD", "pick up", "play AS", "pick up", "play KH", **ANALYSING)
    assert (state.ended, rules.is_over(state), rules.waiting_for(state)) == ("out", False, ("S",))
    assert rules.legal_actions(state, "S") == ["back", "setup"]
    for action in ("play KH", "pick up", "claim win", "consult", "pass"):
        assert refused(state, action) == "The game is over. Undo a move or set up a position."
    assert rules.apply(state, "S", "back").mover == "S"


def test_lead_can_be_passed_to_the_other():
    state = play("pass", **ANALYSING)
    assert (state.mover, state.moves) == ("N", ("pass",))
    led = play("pass", "play AC", **ANALYSING)
    assert refused(led, "pass") == "You can do this only when the table is empty."
    assert play(**{**ANALYSING, "moves": "z AC"}).positions == led.positions
    alone = play("setup", **ANALYSING)
    assert refused(alone, "pass") == "The other player has no cards to lead."


def test_any_position_can_be_set_up():
    state = play("play KD", "play KS", "setup", **ANALYSING)
    assert rules.view(state, "S")["hand"] == list(pack(2))
    assert (state.moves, state.positions, state.empty) == ((), (state.position,), True)
    for card in ("AD", "KC", "AC"):  # the computer has no trump, and no higher one
        state = rules.apply(rules.apply(state, "S", f"play {card}"), "N", "pick up")
    assert rules.view(state, "N")["hand"] == ["AC", "KC", "AD"]
    state = rules.apply(state, "S", "pass")
    assert state.mover == "N"


def test_the_other_seat_can_set_up_positions():
    state = play(robots={"S": "computer"}, analysing=True, deal=DEAL.replace("participant", "computer"))
    state = rules.apply(state, "N", "setup")
    assert rules.view(state, "N")["hand"] == list(pack(2))
    assert state.mover == "N"


# ---------------------------------------------------------------- views and server actions


def test_show_own_hides_other_cards():
    state = play("play KD", "play KS", "play AS", show="own")
    seen = rules.view(state, "N")
    assert (seen["hand"], seen["other"], seen["table"], seen["table_count"]) == (
        ["AH", "AC", "KC"],
        None,
        ["AS"],
        3,
    )
    assert seen["hands"] == {"S": 2, "N": 3}
    everything = rules.view(play("play KD", "play KS", "play AS"), "N")
    assert (everything["other"], everything["table"]) == (["KH", "AD"], ["KD", "KS", "AS"])


def test_a_view_is_json_and_names_robots():
    state = play("play KD", **COMPUTER)
    seen = rules.view(state, "S")
    assert json.loads(json.dumps(seen)) == seen
    assert (seen["robots"], seen["trumps"], seen["last"]) == (["N"], {"S": "H", "N": "S"}, ["S", "play KD"])


def test_absent_players_play_low_and_decline():
    assert rules.absent_action(play(), "S", "") == "play KD"
    assert rules.absent_action(play("play KD"), "N", "") == "play KS"  # a trump, where no other beats
    assert rules.absent_action(play("play AS"), "N", "") == "pick up"
    assert rules.absent_action(play("offer draw"), "N", "") == "decline"
    assert rules.mark_played_by_server(play("play KD"), "S").played_for == "S"
    assert rules.apply(rules.mark_played_by_server(play("play KD"), "S"), "N", "pick up").played_for == ""


@pytest.mark.parametrize("options", [{}, {"computer_sees": "own"}])
def test_computer_acts_legally_without_its_search(options):
    state = play("play KD", **COMPUTER, **options)
    assert rules.robot_action(state, "N", "computer", "x") in rules.legal_actions(state, "N")
    assert rules.robot_action(play("claim win", **COMPUTER), "N", "computer", "x") == "decline"
    asked = play("consult", hints=True, **COMPUTER)
    assert rules.robot_action(asked, "N", "computer", "x") == "advise KD +0"


# ---------------------------------------------------------------- questions for the engine


def question(state, seat="N"):
    """Returns the engine's question for a seat, or None."""
    asked = rules.engine_question(state, seat, "computer", "x")
    return asked and json.loads(asked)


def test_engine_is_asked_about_the_whole_game():
    state = play("play KD", "play KS", "pick up", depth=4, nodes=5_000, max_actions=100, **COMPUTER)
    asked = question(state)
    again = rules.start(asked.pop("deal"), {"size": 2, "moves": asked.pop("moves")})
    assert again.positions == state.positions
    settings = {"after_pickup": "opponent", "after_better": "pass", "trumps": state.options["trumps"]}
    assert asked == {
        **{"what": "move", "seat": "N", "seed": "x, move 4", "left": 97, "nodes": 5_000},
        **{"depth": 4, "errors": 0, **settings},
    }


def test_level_sets_the_strength_of_moves_only():
    options = {"depth": 9, "level": 5, **COMPUTER}
    assert [question(play("play KD", **options))[key] for key in ("depth", "errors")] == [2, 30]
    claimed = question(play("claim win", **options))
    assert (claimed["what"], claimed["depth"]) == ("claim win", 9)


@pytest.mark.parametrize(
    ("options", "actions", "is_asked"),
    [
        ({"depth": 0}, ["play KD"], False),
        ({"depth": 1}, ["play KD"], True),
        ({"level": 1}, ["play KD"], True),  # it errs
        ({"depth": 0, "computer_sees": "own"}, ["play KD"], True),
        ({"depth": 0}, ["claim win"], True),
    ],
)
def test_engine_is_asked_only_to_search(options, actions, is_asked):
    assert (question(play(*actions, **options, **COMPUTER)) is not None) is is_asked


def test_computer_that_sees_little_is_shown_little():
    state = play("play KD", computer_sees="own", **COMPUTER)
    asked = question(state)
    assert not {"deal", "moves"} & {*asked}
    assert asked["cards"] == list(pack(2))
    assert asked["view"] == {
        **{"hand": ["KS", "AH", "AC", "KC"], "others": 3, "top": "KD", "table": 1},
        **{"to_lead": False, "mover": 0},
    }
    leads = question(play("play KD", "play KS", "pick up", computer_sees="own", **COMPUTER))["view"]
    assert (leads["top"], leads["table"], leads["to_lead"]) == (None, 0, True)
    covered = play("play KD", "play KS", "play AS", computer_sees="own", **COMPUTER)
    assert [question(covered)["view"][key] for key in ("top", "table")] == ["AS", 3]


@pytest.mark.parametrize(
    ("show", "computer_sees", "sees_all"),
    [("all", "all", True), ("own", "all", False), ("all", "own", False), ("own", "own", False)],
)
def test_advice_uses_what_both_may_see(show, computer_sees, sees_all):
    options = {"show": show, "computer_sees": computer_sees, "hints": True, **COMPUTER}
    asked = question(play("consult", **options))
    assert (asked["what"], asked["seat"], "deal" in asked) == ("consult", "S", sees_all)
    if not sees_all:
        assert asked["view"]["hand"] == ["AS", "KH", "AD", "KD"]
    own_move = question(play("play KD", **options))
    assert (own_move["seat"], "deal" in own_move) == ("N", computer_sees == "all")


def test_without_a_search_the_next_position_decides():
    """A computer that sees only its hand plays greedily instead."""
    others = 0
    for seed in range(12):
        dealt = rules.deal(str(seed), {"size": 4, "dealer": "participant"})
        seen, blind = (
            rules.start(dealt, {"size": 4, "computer_sees": sees, **COMPUTER}) for sees in ("all", "own")
        )
        best = best_move(seen.position, depth=0, seed="x, move 1", earlier=()).move
        greedy = greedy_move(seen.position)
        assert rules.robot_action(seen, "N", "computer", "x") == rules.action_of(best)
        assert rules.robot_action(blind, "N", "computer", "x") == rules.action_of(greedy)
        others += best != greedy
    assert others > 2


def test_without_a_search_the_game_is_known(monkeypatch):
    """The positions of the game before, of which a third occurrence is a draw."""
    asked = {}

    def best(position, **known):
        asked.update(known)
        return best_move(position, **known)

    monkeypatch.setattr(rules, "best_move", best)
    state = play("play KD", "pick up", "play AD", "pick up", **COMPUTER)
    rules.robot_action(state, "N", "computer", "x")
    assert (asked["depth"], asked["earlier"]) == (0, state.positions[:-1])
    assert len(state.positions) == 5


def test_ten_of_trumps_is_beaten_by_higher_trumps():
    state = play("play 10S", deal="9S KC | 10S AD | participant", size=6)
    assert refused(state, "play KC").startswith("The card on top is one of your trumps.")
    assert refused(play("play 10D", deal="9S 9D | 10D AD | participant", size=6), "play 9D").startswith(
        "This card does not beat"
    )


def test_back_stops_at_a_turn_just_before():
    state = play("pass", "play AC", "play KH", after_better="lead", **ANALYSING)
    assert state.mover == "S"
    assert rules.apply(state, "S", "back").moves == ("pass", "AC")
