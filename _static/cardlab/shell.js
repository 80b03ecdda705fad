/**
 * Shows the next page of a game in this document, without loading another: its styles and scripts are fetched first,
 * then the body is replaced at once, so nothing flashes. The scripts of Card Lab's pages come as one bundle
 * (cardlab/server/static_files.py), which is run afresh for each page. Any other page is loaded as usual.
 */

import { endLife } from "./life.js";

// The libraries that were run in this document, for all of its pages.
const sources = Array.from(document.scripts, (script) => script.src).filter((src) => src !== "");
window.cardLab ??= { libraries: new Set(sources) };
const { libraries } = window.cardLab;
const isOurs = (page) => page.querySelector("main[data-shell]") !== null;

/** Whether this page is one of Card Lab's, which may be replaced in the document. */
export const inShell = isOurs(document);

/** What a request says of such a page, and the answer's header with the address of the page that it brings. */
export const ASKS = inShell ? { "Card-Lab-Shell": "1" } : {};
export const ADDRESS = "Card-Lab-Page";

/**
 * Show a page. Rejected, with nothing changed, if its files cannot be fetched.
 * @param {string} text the page, "" if it was not sent because it is not one of ours
 * @param {string} address where it is
 * @param {() => Promise<void>} ready when it may be shown
 */
export async function showPage(text, address, ready = async () => {}) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const scripts = [...page.scripts];
  const modules = scripts.filter((script) => script.type === "module" && script.src);
  if (!isOurs(page) || !modules.every(({ src }) => src.includes("?of="))) {
    await ready();
    location.replace(address);
    return;
  }
  const [useStyles] = await Promise.all([fetchStyles(page), ...modules.map(fetchFile), ready()]);
  endLife();
  useStyles();
  history.replaceState(null, "", address);
  document.title = page.title;
  document.body.replaceWith(page.body);
  scrollTo(0, 0);
  focusTitle();
  for (const script of scripts.filter(({ type }) => type !== "module")) await run(script);
  for (const script of modules) await run(script, `#${performance.now()}`); // a module of another address runs again
  window.cardLab.ws?.close(); // of a hand, if none is played here
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true })); // oTree's script waits for it
}

async function fetchFile({ src }) {
  const answer = await fetch(src);
  if (!answer.ok) throw new TypeError(`${src}: ${answer.status}`);
  await answer.blob();
}

/** Fetch the styles of a page; the returned function puts them in the place of those of this one. */
async function fetchStyles(page) {
  const [before, after] = [document, page].map((one) => [...one.head.querySelectorAll("link[rel=stylesheet]")]);
  const addresses = (links) => links.map(({ href }) => href).join();
  if (addresses(before) === addresses(after)) return () => {};
  await Promise.all(after.map(({ href: src }) => fetchFile({ src })));
  const links = after.map(({ href }) => Object.assign(document.createElement("link"), { rel: "stylesheet", href, media: "not all" }));
  await Promise.all(links.map(loaded));
  return () => {
    for (const link of before) link.remove();
    for (const link of links) link.media = "";
  };
}

/** Put an element into the document's head, and wait until what it names is loaded and run. */
function loaded(element) {
  return new Promise((resume) => {
    element.onload = element.onerror = resume;
    document.head.append(element);
  });
}

/** Run a script of the new page; a library that is there already is not run again. */
async function run(script, suffix = "") {
  const isLibrary = script.src && !suffix && !script.closest("main");
  if (isLibrary && libraries.has(script.src)) return;
  if (isLibrary) libraries.add(script.src);
  const again = document.createElement("script");
  for (const { name, value } of script.attributes) again.setAttribute(name, value);
  if (!script.src) {
    again.textContent = script.textContent;
    script.replaceWith(again);
    return;
  }
  again.src = script.src + suffix;
  await loaded(again);
  again.remove();
}

/** A screen reader says where one is now. */
function focusTitle() {
  const title = document.getElementById("_otree-title");
  if (!title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}
