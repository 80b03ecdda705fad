/** The WebSocket of a hand, which the next hand in the same document takes over. */

import { tabStorage } from "./tab_storage.js";

const TAB = "card-lab-tab"; // in the tab's storage: its id
const HERE = "card-lab-here"; // in the tab's storage: who plays here although the seat is open elsewhere

/** The socket of a hand, by its path: the one that the hand before has left, or a new one. @param {string} path */
export function openSocket(path) {
  const [, , participant, page] = path.split("/");
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const here = tabStorage.getItem(HERE) === participant ? "&here=1" : "";
  return takeOver(page) ?? new WebSocket(`${scheme}//${location.host}${path}?tab=${tabName()}${here}`);
}

/** Has later sockets of this participant play here, although the seat is open elsewhere. @param {string} path */
export function claimSeat(path) {
  tabStorage.setItem(HERE, path.split("/")[2]);
}

/** Keeps a socket for the next hand in this document (shell.js closes it where there is none). */
export function leaveSocket(ws) {
  window.cardLab = { ...window.cardLab, ws };
}

function takeOver(page) {
  const { ws } = window.cardLab ?? {};
  leaveSocket(undefined);
  if (ws?.readyState !== WebSocket.OPEN) return undefined;
  ws.send(JSON.stringify({ page: Number(page) })); // which page it is for now
  return ws;
}

/** This tab's id, which reloads keep. */
function tabName() {
  const name = tabStorage.getItem(TAB) ?? Array.from(crypto.getRandomValues(new Uint32Array(3)), String).join("");
  tabStorage.setItem(TAB, name);
  return name;
}
