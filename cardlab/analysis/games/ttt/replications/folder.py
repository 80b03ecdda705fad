"""Writes the folder of a replication: configs, treatments, deals, design and data of a rehearsal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cardlab import folders
from cardlab.analysis.games.ttt.replications.study import DESIGN, STUDY, Config, Study
from cardlab.analysis.output import table_file
from cardlab.analysis.simulation import plan, sessions
from cardlab.games.contract import BadFile

CONFIGS, README, REHEARSAL, TREATMENTS, DEALS = "configs.py", "README.md", "rehearsal", "treatments", "deals"
LABEL = "P"  # begins the labels of simulated participants, which are the same in all sessions


def write_folder(study: Study, folder: Path) -> None:
    """Writes the folder. Raises BadFile if it has files already, because they may have been changed."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadFile(
            str(folder), "This is not an empty folder. Choose another name, so that no file is lost."
        )
    simulations = {config.name: plan_rehearsal(study, config) for config in study.configs}
    (folder / REHEARSAL).mkdir(parents=True, exist_ok=True)
    for name, simulation in simulations.items():
        with table_file(folder / REHEARSAL / f"{name}_actions.csv") as file:
            sessions.write_table(simulation, file)
    _copy(folder / DEALS, [path for one in simulations.values() for path in _list_deals(one)])
    _copy(folder / TREATMENTS, [study.file.parent / TREATMENTS / name for name in _list_treatments(study)])
    _copy(folder, [study.file, study.design])
    (folder / CONFIGS).write_text(render_configs(study), "utf-8")
    (folder / README).write_text("\n".join(_render_readme(study, folder)) + "\n", "utf-8")


def plan_rehearsal(study: Study, config: Config) -> plan.Simulation:
    """Returns the simulation of a session with this config. Raises BadFile."""
    own = {"players": "2"} if config.app == "ttt_pair" else {}
    treatments = study.file.parent / TREATMENTS / config.treatments if config.treatments else None
    simulation = plan.plan_simulation(
        "ttt",
        mix=config.strategy,
        participants=config.participants,
        settings=own | {name: str(value) for name, value in config.hands.items()},
        treatments=str(treatments) if treatments else None,
    )
    return replace(simulation, label=LABEL)


def render_configs(study: Study) -> str:
    """Returns the session configs as Python, for the list SESSION_CONFIGS in settings.py."""
    calls = []
    for config in study.configs:
        treatments = {"treatments": config.treatments} if config.treatments else {}
        fields = {**config.hands, **treatments, **config.session}
        arguments = [repr(config.name), repr(config.title), repr(f"After {study.citation}.")]
        arguments += [f"{name}={value!r}" for name, value in fields.items()]
        calls.append("".join([f"{config.app}(\n", *(f"    {one},\n" for one in arguments), "),\n"]))
    return "# Paste these lines into the list SESSION_CONFIGS in settings.py.\n" + "".join(calls)


def _list_deals(simulation: plan.Simulation) -> list[Path]:
    """Returns the deal files of a simulation."""
    dealt = [simulation.deal(1, treatment) for treatment in simulation.requests]
    names = {one.source for session in dealt for group in session.hands_by_group for one in group}
    return [path for path in simulation.sources if path.name in names]


def _list_treatments(study: Study) -> list[str]:
    return [config.treatments for config in study.configs if config.treatments]


def _copy(folder: Path, paths: list[Path]) -> None:
    for path in paths:
        folder.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / path.name)


def _render_readme(study: Study, folder: Path) -> Iterator[str]:
    analysis, check, rehearse = (folders.command(name) for name in ("analysis", "check", "rehearse"))
    yield f"# Replication: {study.title}\n\n{study.citation}\n\nRead: {study.read}.\n\n{study.about}\n"
    yield "## What the source leaves open\n"
    yield from [f"- {point}" for point in study.unknown]
    yield "\n## Steps\n"
    yield from [f"{number}. {step}" for number, step in enumerate(_list_steps(study, folder), 1)]
    yield f"\nRun `{analysis}`, `{check}` and `{rehearse}` in the folder of Card Lab."
    yield f"\nSimulated participants (`{REHEARSAL}/`) show that each step works, and nothing about people."


def _list_steps(study: Study, folder: Path) -> Iterator[str]:
    analysis, check, rehearse = (folders.command(name) for name in ("analysis", "check", "rehearse"))
    yield (
        f"Compare `{STUDY}` with the publication. Add numbers as `published`, and correct what differs. "
        f"`{DEALS}/` has copies of the deals, which Card Lab has already."
    )
    if _list_treatments(study):
        yield f"Copy the file in `{TREATMENTS}/` to `{TREATMENTS}/` of your project."
    yield f"Paste `{CONFIGS}` into `SESSION_CONFIGS` in `settings.py`."
    for config in study.configs:
        yield f"`{check} --session-config {_name(config)}`"
        if "continues" not in config.session:
            yield f"`{rehearse} {_name(config)} --participants {config.participants}`"
    out = folder.as_posix()
    yield f"`{analysis} replicate {out}/{STUDY} {out}/{REHEARSAL} --out rehearsed`: try the analysis."
    yield f"Change `{DESIGN}`, then freeze it: `{analysis} preregister {out}/{DESIGN} -o preregistration.md`"
    yield "Collect the data, and export them."
    yield f"`{analysis} replicate {out}/{STUDY} exports --preregistration preregistration.md --out report`"


def _name(config: Config) -> str:
    return f"{'ttt_pair' if config.app == 'ttt_pair' else 'ttt'}_{config.name}"
