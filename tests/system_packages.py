"""Finds or installs what the tests need besides Python: a browser, PostgreSQL and npm packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from cardlab.operations.environment import venv_program
from cardlab.operations.terminal import Refusal, say

# Chromium without windows takes half the processor time; the browser tests are most of the suite.
HEADLESS = "chromium-headless-shell"


def install_missing() -> None:
    """Installs missing programs with apt, if that needs no confirmation."""
    browser = not os.environ.get("CARD_LAB_CHROMIUM") and not any(map(browser_starts, browser_candidates()))
    postgres = not os.environ.get("CARD_LAB_POSTGRES") and not postgres_folder()
    if (browser or postgres) and apt_usable():
        known = apt_known()
        packages = [HEADLESS if HEADLESS in known else "chromium", "fonts-dejavu-core"] * browser
        packages += ["postgresql"] * postgres
        say(f"Installing for the tests: {', '.join(packages)} …")
        apt_install(*packages)


def install_npm_packages() -> None:
    """Installs ESLint and TypeScript with npm if npm exists; if that fails, their tests are skipped."""
    folder = Path(__file__).parent / "javascript"
    npm, done = shutil.which("npm"), folder / "node_modules" / ".package-lock.json"
    if not npm or (done.exists() and done.stat().st_mtime >= (folder / "package-lock.json").stat().st_mtime):
        return
    command = [npm, "ci", "--ignore-scripts", "--loglevel=error"]
    if subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL).returncode:
        say("npm could not install ESLint and TypeScript: their tests will be skipped.")


def find_browser() -> str:
    """Returns a Chromium or Chrome that starts, and installs one if none is found. Raises Refusal."""
    chosen = os.environ.get("CARD_LAB_CHROMIUM")
    if chosen:
        if browser_starts(chosen):
            return chosen
        raise Refusal(
            f"CARD_LAB_CHROMIUM names {chosen}, which does not start as a browser: correct or unset it."
        )
    for program in (*browser_candidates(), *playwright_browser()):
        if browser_starts(program):
            return program
    say("No Chromium or Chrome was found; Playwright shall install one for the browser tests …")
    subprocess.run([venv_program("python"), "-m", "playwright", "install", "chromium"])
    for program in playwright_browser():
        if browser_starts(program):
            return program
    raise Refusal(
        "The browser tests need Chromium or Chrome, and none could be installed: "
        "install one, or set CARD_LAB_CHROMIUM to its program."
    )


def browser_candidates() -> list[str]:
    """Returns the existing paths of Chromium or Chrome, the preferred one first."""
    names = (
        HEADLESS,
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
        "msedge",
    )
    places = [shutil.which(name) for name in names]
    places.append("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    places.append("/Applications/Chromium.app/Contents/MacOS/Chromium")
    for base in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        if base in os.environ:
            places.append(os.path.join(os.environ[base], "Google", "Chrome", "Application", "chrome.exe"))
    return [place for place in places if place and os.path.exists(place)]


def browser_starts(program: str) -> bool:
    """Returns whether a browser shows an empty page; some programs only print how to install a browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command = [program, *options, "--dump-dom", "about:blank"]
        try:
            page = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return "<html" in page.stdout


def playwright_browser() -> list[str]:
    """Returns the browser that Playwright downloads, if it is there."""
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as browsers: print(browsers.chromium.executable_path)"
    )
    found = subprocess.run([venv_program("python"), "-c", code], capture_output=True, text=True)
    place = found.stdout.strip()
    return [place] if place and os.path.exists(place) else []


def find_postgres() -> str | None:
    """Returns the folder of PostgreSQL's programs; None if there is none, so its tests are skipped."""
    folder = os.environ.get("CARD_LAB_POSTGRES") or postgres_folder()
    if not folder:
        say("PostgreSQL is not on this machine (no initdb): its tests will be skipped.")
    return folder


def postgres_folder() -> str | None:
    """Returns the newest installation that has both ``initdb`` and ``postgres``."""
    on_path = [Path(program).resolve().parent for program in [shutil.which("initdb")] if program]
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: folder.parent.name, reverse=True
    )
    for folder in (*on_path, *debian):
        if all(shutil.which(program, path=str(folder)) for program in ("initdb", "postgres")):
            return str(folder)
    return None


def apt_usable() -> bool:
    """Returns whether apt can install packages without asking: as root on Debian or a similar system."""
    return bool(shutil.which("apt-get")) and os.geteuid() == 0


def apt_known() -> set[str]:
    """Returns the names of the packages that apt currently knows."""
    subprocess.run(["apt-get", "update", "-q"], stdout=subprocess.DEVNULL)
    names = subprocess.run(["apt-cache", "pkgnames", "chromium"], capture_output=True, text=True)
    return set(names.stdout.split())


def apt_install(*packages: str) -> None:
    """Installs system packages; does not report failures, so the caller has to check."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
