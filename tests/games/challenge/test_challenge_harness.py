"""Tests that the two deals of the leak tests differ in all hidden cards and look the same otherwise."""

import pytest
from harnesses import GAMES

from cardlab.games.challenge import rules
from cardlab.games.challenge.engine import answer
from cardlab.games.contract import IllegalAction

HARNESS = GAMES["challenge"].harness


class OnPaper:
    """Stands in for the table and the tabs that a case of ``HIDDEN`` plays with."""

    def __init__(self, hidden, deal):
        robots = {} if hidden.participants == 2 else {"N": "computer"}
        options = {name: value for name, value in hidden.fields.items() if name in rules.complete_options({})}
        options = {**options, "show": "own", "computer_sees": "own", "robots": robots}
        self.state, self.watched = rules.start(deal, options), hidden.seat
        self.players = dict.fromkeys(hidden.seat)
        self.heard = [rules.view(self.state, self.watched)]

    def tab(self, _seat):
        return self

    def until(self, condition):
        assert condition({"view": rules.view(self.state, self.watched)})

    def act(self, seat, action):
        self.state = rules.apply(self.state, seat, action)
        while question := self.pending_question():
            self.state = rules.apply(self.state, "N", answer(question).action)
        self.heard.append(rules.view(self.state, self.watched))

    def pending_question(self):
        if not self.state.options["robots"] or rules.waiting_for(self.state) != ("N",):
            return None
        return rules.engine_question(self.state, "N", "computer", "")

    def refused(self, action):
        with pytest.raises(IllegalAction) as why:
            rules.apply(self.state, self.watched, action)
        self.heard.append(why.value.sentence)


@pytest.mark.parametrize("hidden", HARNESS.HIDDEN.values(), ids=HARNESS.HIDDEN)
def test_hidden_cards_do_not_change_the_page(hidden):
    """If they did, the comparison of the leak tests would prove nothing."""
    tables = [OnPaper(hidden, deals.splitlines()[0]) for deals in hidden.deals]
    for table in tables:
        hidden.play(table)
    assert tables[0].heard == tables[1].heard
    assert len(tables[0].heard) > 7
    one, other = (HARNESS.unseen(table.state, hidden.seat, []) for table in tables)
    assert len(one - other) == len(other - one) >= 3
    if hidden.participants == 2:  # the server does not play for the first to leave
        assert rules.waiting_for(tables[0].state) == (hidden.seat,)
