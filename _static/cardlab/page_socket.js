/** The WebSocket of a hand, which the next hand in the same document takes over. */

import { tabStorage } from "./tab_storage.js";

const TAB = "card-lab-tab"; // in the tab's storage: the tab's id
const HERE = "card-lab-here"; // in the tab's storage: the participant who plays here although the seat is open elsewhere

/** Returns the socket of a hand by its path: the previous hand's if still open, or a new one. @param {string} path */
export function openSocket(path) {
  const [, , participant, page] = path.split("/");
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const here = tabStorage.getItem(HERE) === participant ? "&here=1" : "";
  return takeOver(page) ?? new WebSocket(`${scheme}//${location.host}${path}?tab=${tabName()}${here}`);
}

/** Makes later sockets of this participant play here, although the seat is open elsewhere. @param {string} path */
export function claimSeat(path) {
  tabStorage.setItem(HERE, path.split("/")[2]);
}

/** Keeps a socket for the next hand in this document (shell.js closes it if the next page has no hand). */
export function handOverSocket(ws) {
  window.cardLab = { ...window.cardLab, ws };
}

function takeOver(page) {
  const { ws } = window.cardLab ?? {};
  handOverSocket(undefined);
  if (ws?.readyState !== WebSocket.OPEN) return undefined;
  ws.send(JSON.stringify({ page: Number(page) })); // the page that uses it now
  return ws;
}

/** This tab's id, which reloads keep. */
function tabName() {
  const name = tabStorage.getItem(TAB) ?? Array.from(crypto.getRandomValues(new Uint32Array(3)), String).join("");
  tabStorage.setItem(TAB, name);
  return name;
}
