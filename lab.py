"""The commands of Card Lab, with Python's standard library alone.

    python3 lab.py run                  start the server, then open the address it prints
    python3 lab.py check                check whether this computer is ready to run a session
    python3 lab.py run --servers FILE   start several servers behind one address
    python3 lab.py export SESSION       download every export of a session from the running server
    python3 lab.py export --all         download the exports of all sessions, also from several servers
    python3 lab.py export --database FILE   export a SQLite file of any version since 0.3, without a server
    python3 lab.py slots SESSION N      add N slots to a running session
    python3 lab.py labels --to FILE     write hashes of the labels of all studies, for another server
    python3 lab.py rehearse CONFIG      play a session with simulated participants, on a separate server
    python3 lab.py archive SESSION      save all data of a session in one ZIP file
    python3 lab.py withdraw PARTICIPANT     remove the data of a participant who withdraws
    python3 lab.py restore              list the backups of the database; restore NAME restores one
    python3 lab.py zip                  pack the project without data and secrets, to share it
    python3 lab.py bundle               copy the project with all its packages, for computers without internet
    python3 lab.py install EXTRA        install optional packages, such as those of the analysis
    python3 lab.py sbom                 write a bill of materials of the server's packages
    python3 lab.py docs                 build the documentation and open it
    python3 lab.py test                 run all the tests
    python3 lab.py simulate-faults      look for lost actions under simulated faults

On Windows: ``py lab.py run``. The first start creates ``.venv`` and installs the packages into it.
The commands are implemented in ``cardlab/operations/``.
"""

import sys

from cardlab.operations import supported_python

if __name__ == "__main__":
    if not supported_python.is_supported(sys.version_info[:2]):
        sys.exit(supported_python.restart_lab(sys.argv[1:]))

    from cardlab.operations.command_line import main

    sys.exit(main())
