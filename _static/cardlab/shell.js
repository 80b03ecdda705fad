/**
 * Shows the next page of a game in this document, without loading another: its styles and scripts are fetched first,
 * then the body is replaced at once, so nothing flashes. The scripts of Card Lab's pages come as one bundle
 * (cardlab/server/static_files.py), which is run afresh for each page. Any other page is loaded as usual.
 */

import { endPage } from "./page_lifetime.js";

// The libraries that have run in this document, for all its pages.
const sources = Array.from(document.scripts, (script) => script.src).filter((src) => src !== "");
window.cardLab ??= { libraries: new Set(sources) };
const { libraries } = window.cardLab;
const isShellPage = (page) => page.querySelector("main[data-shell]") !== null;

/** Whether this page is one of Card Lab's, which may be replaced in the document. */
export const inShell = isShellPage(document);

/** The headers of a request from such a page, and the answer's header with the address of the page in it. */
export const REQUEST_HEADERS = inShell ? { "Card-Lab-Shell": "1" } : {};
export const ADDRESS_HEADER = "Card-Lab-Page";

/**
 * Shows a page. Rejects, without changing anything, if its files cannot be fetched.
 * @param {string} text the page's HTML; "" if the server sent none, because the page is not one of Card Lab's
 * @param {string} address the page's path
 * @param {() => Promise<void>} waitUntilReady resolves when the page may be shown
 */
export async function showPage(text, address, waitUntilReady = async () => {}) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const scripts = [...page.scripts];
  const modules = scripts.filter((script) => script.type === "module" && script.src);
  if (!isShellPage(page) || !modules.every(({ src }) => src.includes("?of="))) {
    await waitUntilReady();
    location.replace(address);
    return;
  }
  const [useStyles] = await Promise.all([fetchStyles(page), ...modules.map(fetchFile), waitUntilReady()]);
  endPage();
  useStyles();
  history.replaceState(null, "", address);
  document.title = page.title;
  document.body.replaceWith(page.body);
  scrollTo(0, 0);
  focusTitle();
  for (const script of scripts.filter(({ type }) => type !== "module")) await run(script);
  for (const script of modules) await run(script, `#${performance.now()}`); // a module runs again only under another address
  window.cardLab.ws?.close(); // the last hand's socket, unless this page's hand took it over
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true })); // oTree's script waits for it
}

async function fetchFile({ src }) {
  const answer = await fetch(src);
  if (!answer.ok) throw new TypeError(`${src}: ${answer.status}`);
  await answer.blob();
}

/** Fetches the styles of a page. The returned function replaces this page's styles with them. */
async function fetchStyles(page) {
  const [before, after] = [document, page].map((root) => [...root.head.querySelectorAll("link[rel=stylesheet]")]);
  const addresses = (links) => links.map(({ href }) => href).join();
  if (addresses(before) === addresses(after)) return () => {};
  await Promise.all(after.map(({ href: src }) => fetchFile({ src })));
  const links = after.map(({ href }) => Object.assign(document.createElement("link"), { rel: "stylesheet", href, media: "not all" }));
  await Promise.all(links.map(insertAndLoad));
  return () => {
    for (const link of before) link.remove();
    for (const link of links) link.media = "";
  };
}

/** Adds an element to the document's head, and resolves when its file is loaded and run. */
function insertAndLoad(element) {
  return new Promise((resume) => {
    element.onload = element.onerror = resume;
    document.head.append(element);
  });
}

/** Runs a script of the new page, except a library that has already run in this document. */
async function run(script, suffix = "") {
  const isLibrary = script.src && !suffix && !script.closest("main");
  if (isLibrary && libraries.has(script.src)) return;
  if (isLibrary) libraries.add(script.src);
  const copy = document.createElement("script");
  for (const { name, value } of script.attributes) copy.setAttribute(name, value);
  if (!script.src) {
    copy.textContent = script.textContent;
    script.replaceWith(copy);
    return;
  }
  copy.src = script.src + suffix;
  await insertAndLoad(copy);
  copy.remove();
}

/** Focuses the title, so that a screen reader reads it. */
function focusTitle() {
  const title = document.getElementById("_otree-title");
  if (!title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}
