"""Withdraws a participant without a server: ``python -m cardlab.server.withdraw CODE find|remove|paid``.

``lab.py withdraw`` starts it while no server runs. ``find`` removes nothing; after ``paid``, nothing is kept
for the payment. Prints a line of JSON: the code of the session that was found, or the sentences for the
researcher; null for an unknown code.
"""

from __future__ import annotations

import json
import sys
from functools import partial

from cardlab.exports.worker_process import set_up_otree, take_stdout


def main(code: str, task: str) -> list[str] | str | None:
    """Finds or withdraws a participant; returns the session's code or sentences, None if they are unknown."""
    from cardlab.live import personal_data, withdrawals
    from cardlab.live.lab import LAB

    if task == "find":
        return withdrawals.session_of(code)
    is_paid = task == "paid"
    pseudonym = personal_data.new_pseudonym()
    (answer,) = LAB.service.commit_batch([partial(withdrawals.withdraw, code, pseudonym, is_paid)])
    if isinstance(answer, Exception):
        raise answer
    if "session_id" not in answer.message:
        return None
    withdrawals.pass_waiting_pages(answer)
    fault = withdrawals.compact(answer)
    result = withdrawals.clean(code, answer, [fault] if fault else [])
    return withdrawals.sentences(code, result)


if __name__ == "__main__":
    send = take_stdout()
    set_up_otree()
    send(json.dumps(main(*sys.argv[1:])))
