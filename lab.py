"""The commands of Card Lab, with Python's standard library alone.

    python3 lab.py run                  start the server, then open the address it prints
    python3 lab.py check                look whether a session can be run
    python3 lab.py run --servers FILE   start several servers behind one address
    python3 lab.py export SESSION       fetch every export of a session from the running server
    python3 lab.py export --all         of all sessions, also those of several servers
    python3 lab.py places SESSION N     add N places to a running session
    python3 lab.py rehearse CONFIG      play a session with simulated participants, on a server of its own
    python3 lab.py archive SESSION      put a whole session in one ZIP
    python3 lab.py restore              list the copies of the database; restore NAME goes back to one
    python3 lab.py zip                  pack the project, without data and secrets, to give it away
    python3 lab.py bundle               the project with all its packages, for computers without the internet
    python3 lab.py docs                 build the documentation and open it
    python3 lab.py test                 run all the tests

On Windows: ``py lab.py run``. The first start makes ``.venv`` and installs the packages into it.
What the commands do stands in ``cardlab/operations/``.
"""

import sys

from cardlab.operations import supported_python

if __name__ == "__main__":
    if not supported_python.is_supported(sys.version_info[:2]):
        sys.exit(supported_python.restart_lab(sys.argv[1:]))

    from cardlab.operations.command_line import main

    sys.exit(main())
