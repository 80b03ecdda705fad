/**
 * Reports browser events: lost focus, hidden pages, full screen, sizes, the kind of input, and heartbeats
 * (cardlab/live/browser_events.py). The listeners belong to the document, and stay when the page in it changes.
 */

import { EventLog, Heartbeats, familiesOf } from "./event_log.js";
import { followPointer } from "./pointer_path.js";

const BEAT = 10_000; // ms between heartbeats
const SUMMARY = 60_000; // ms between summaries of the heartbeats
const TOGETHER = 1000; // ms to collect events before they are sent
const SETTLED = 500; // ms without a change before a window's new size is reported

/**
 * Starts reporting over the presence socket.
 * @param {WebSocket} socket
 * @param {number} hz how many times a second the pointer's position is recorded; 0 for never
 */
export function watchBrowser(socket, hz) {
  const log = new EventLog(Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join(""));
  const beats = new Heartbeats();
  let sending; // the timer
  let resizing;

  const send = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  function flush() {
    clearTimeout(sending);
    sending = undefined;
    if (socket.readyState !== WebSocket.OPEN) return;
    const message = log.take(Date.now());
    if (message) send(message);
  }
  function report(event, details = {}) {
    log.add(pageIndex(), event, details, Date.now());
    if (document.hidden) flush(); // timers of hidden pages are slow
    else sending ??= setTimeout(flush, TOGETHER);
  }

  socket.addEventListener("open", () => {
    log.retry();
    flush();
  });
  socket.addEventListener("message", ({ data }) => {
    const { kept, beat, ms } = JSON.parse(data);
    if (beat) beats.answer(beat, ms, performance.now(), Date.now());
    if (!kept) return;
    log.confirm();
    flush();
  });

  let summarized = -Infinity;
  function beatAt(due) {
    const now = performance.now();
    if (now - summarized >= SUMMARY) {
      const summary = beats.summary();
      if (summary) {
        summarized = now;
        report("heartbeat", summary);
      }
      log.retry(); // a message still without an answer counts as lost
      flush();
    }
    send({ beat: beats.begin(now, Math.max(0, now - due)) });
    setTimeout(beatAt, BEAT, now + BEAT);
  }

  let sizes = sizesNow();
  let isFull = isFullScreen();
  const used = new Set();
  function reportSizes() {
    const now = sizesNow();
    if (JSON.stringify(now) !== JSON.stringify(sizes)) report("resized", (sizes = now));
  }
  function reportFullScreen() {
    if (isFull === isFullScreen()) return;
    isFull = !isFull;
    report(isFull ? "full screen" : "full screen left");
  }
  /** Reports each kind of input once per page. */
  function reportInput(type) {
    const key = `${pageIndex()} ${type}`;
    if (used.has(key) || !type) return;
    used.add(key);
    report("input", { type });
  }

  document.addEventListener("visibilitychange", () => {
    endPath();
    report(document.hidden ? "hidden" : "visible");
  });
  addEventListener("blur", () => report("blur"));
  addEventListener("focus", () => report("focus"));
  document.addEventListener("fullscreenchange", reportFullScreen);
  fullScreen.addEventListener("change", reportFullScreen);
  addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(reportSizes, SETTLED);
  });
  addEventListener("pointerdown", ({ pointerType }) => reportInput(pointerType), { capture: true, passive: true });
  addEventListener("keydown", () => reportInput("keyboard"), { capture: true, passive: true });
  const addPath = (page, details, begin) => log.add(page, "pointer", details, begin);
  const endPath = hz ? followPointer(hz, pageIndex, addPath) : () => {};
  addEventListener("pagehide", () => {
    endPath();
    log.retry(); // sending again is safe: the server stores each event once
    flush();
  });

  const state = { visible: !document.hidden, focused: document.hasFocus(), full_screen: isFull };
  const language = navigator.language.replace(/[^A-Za-z0-9-]/g, "").slice(0, 35);
  report("opened", { ...sizes, ...familiesOf(navigator), language, ...state });
  beatAt(performance.now());
  return { report };
}

/** The index of the current page; 0 if it has none. */
function pageIndex() {
  const [, query] = document.getElementById("here")?.dataset.socket.split("?") ?? [];
  return Number(new URLSearchParams(query).get("page"));
}

const fullScreen = matchMedia("(display-mode: fullscreen)"); // includes the browser's own, by F11
const isFullScreen = () => document.fullscreenElement !== null || fullScreen.matches;

const sizesNow = () => ({
  width: innerWidth,
  height: innerHeight,
  screen_width: screen.width,
  screen_height: screen.height,
  pixel_ratio: Math.round(100 * devicePixelRatio) / 100,
});
