/**
 * Replays hands of a table or a log (cardlab/analysis/replay): the board as its seat saw it, step by step or in real time.
 * Texts from the data are inserted as text, never as HTML; a refused action may be any text.
 */

const PAUSE_MS = 3000; // without an event, to count as a pause
const MAX_ANIMATED_SPEED = 2; // at higher speeds the board draws without animation
const DESK = { width: 1280, height: 720 }; // the window that the board is shown in, px
const PHONE = { width: 390, height: 844 };
const MAX_BOARD_SHARE = 0.57; // of a narrow window's height that the board may take
const TRAIL_MS = 2000; // of the pointer's path that are shown
const MIN_LABEL_WIDTH = 42; // px; a shorter pause is not labelled
const SPEEDS = [1, 2, 5, 10];

const KINDS = {
  deal: ["Dealt", "Deal", '<path d="M3 2h10v12H3z"/>'],
  move: ["Move", "Moves", '<circle cx="8" cy="8" r="5.5"/>'],
  other: ["Other action", "Other", '<path d="M8 1.5L14.5 8 8 14.5 1.5 8z" fill="none" stroke="currentColor" stroke-width="2"/>'],
  look: ["Look", "Looks", '<path d="M1 8q7-9 14 0q-7 9-14 0z" fill="none" stroke="currentColor" stroke-width="1.8"/><circle cx="8" cy="8" r="2.4"/>'],
  "pick-up": ["Pick-up", "Pick-ups", '<path d="M8 2.5l6 10.5H2z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round"/>'],
  refused: ["Refused", "Refused", '<path d="M3 3l10 10M13 3L3 13" stroke="currentColor" stroke-width="3" stroke-linecap="round"/>'],
  others: ["Another seat", "Others", '<circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2"/>'],
  note: ["Note of the server", "Notes", '<path d="M3 3h10v10H3z" fill="none" stroke="currentColor" stroke-width="2"/>'],
  end: ["End", "End", '<path d="M3 1v14" stroke="currentColor" stroke-width="2"/><path d="M4 2h10l-3 3.5L14 9H4z"/>'],
};

const { games, hands } = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const make = (kind, ...children) => {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  element.append(...children);
  return element;
};

// The shown hand: its steps with the state after each, and the current step.
let hand = null;
let steps = [];
let stepIndex = 0;
let screen = null;
let clock = 0; // ms since the hand was shown
let speed = 1;
let lastTick = null; // performance.now() of the last tick, while playing

// The data.

/** Applies a change to a value; see `diff` in cardlab/analysis/replay/steps.py. */
function applyChange(old, change) {
  if (change === undefined) return old;
  if (Array.isArray(change)) return change[0];
  const copy = Array.isArray(old) ? [...old] : { ...old };
  for (const [key, inside] of Object.entries(change)) copy[key] = applyChange(copy[key], inside);
  return copy;
}

/** The steps of a hand, each with the complete state after it. */
function unrollSteps({ seat, seats, steps }) {
  let now = { view: null, state: null, away: [], over: null };
  return steps.map((step, index) => {
    const { away = now.away, over = now.over } = step;
    now = { view: applyChange(now.view, step.view), state: applyChange(now.state, step.state), away, over };
    const isOwn = seats.length === 1 || !step.seat || step.seat === seat;
    const kind = isOwn || step.kind === "note" ? step.kind : "others";
    return { ...step, kind, ...now, own: isOwn, actualKind: step.kind, gap: index ? step.ms - steps[index - 1].ms : 0 };
  });
}

/** `0:12.3`, or with hours `1:02:12.3` */
function timeOf(ms) {
  const tenths = Math.floor(ms / 100);
  const [hours, minutes, seconds] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
  const rest = seconds.toFixed(1).padStart(4, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

const secondsOf = (ms) => (ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : timeOf(ms));

/** Describes a step; another seat's action is described only on request. */
function actionText(step) {
  if (step.actualKind === "deal") return "Dealt";
  if (step.kind === "others" && !byId("reveal").checked) return `${step.seat} acted`;
  const seatText = hand.seats.length > 1 && step.seat ? `${step.seat}: ` : "";
  return `${seatText}${step.action}${step.by ? " (by the server)" : ""}`;
}

function kindOf(step) {
  const shown = step.kind === "others" && byId("reveal").checked ? step.actualKind : step.kind;
  return KINDS[shown][0];
}

const sentenceOf = (step) => (step.kind === "others" && !byId("reveal").checked ? "" : (step.reason ?? ""));

/** The analysis of an action, which no player saw. */
const noteText = (step) => (step.kind === "others" && !byId("reveal").checked ? "" : (step.beside ?? ""));

function makeMark(step) {
  const sign = make("span.mark");
  sign.dataset.kind = step.kind;
  sign.innerHTML = `<svg viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">${KINDS[step.kind][2]}</svg>`;
  return sign;
}

const formatScore = (value) => (value === "" ? "" : String(value).replace("-", "−"));

// The board in a window of its own.

/** The time that a board shows: with the setting `clock` first_move it counts from the first move. */
function boardClock(ms) {
  if (hand.settings.clock !== "first_move") return ms;
  return Math.max(0, ms - (steps.find(({ kind }) => kind === "move")?.ms ?? ms));
}

/** A window with the board of a game, scaled to the room on the stage. */
class Screen {
  static async open(stage, hand) {
    const { markup, style, words } = games[hand.game];
    const { Board } = await import(`${hand.game}/board.js`);
    const frame = make("iframe");
    frame.title = "What the participant saw";
    const opened = new Promise((done) => frame.addEventListener("load", done, { once: true }));
    frame.srcdoc = "<!doctype html><html lang=en><head><meta charset=utf-8></head><body></body></html>";
    stage.replaceChildren(frame);
    await opened;
    return new Screen(stage, frame, { markup, style, words, settings: hand.settings, Board });
  }

  constructor(stage, frame, { markup, style, words, settings, Board }) {
    Object.assign(this, { stage, frame, document: frame.contentDocument });
    const sheet = this.document.createElement("style");
    sheet.textContent = style;
    this.document.head.append(sheet);
    this.document.body.innerHTML = `<div class="otree-body container"><div class="hand"><div class="board-frame">${markup}</div></div></div>`;
    this.root = this.document.getElementById("board");
    this.board = new Board(this.root, { ...Board.fromSettings(settings), words });
    this.trail = this.document.createElement("div");
    this.trail.className = "pointer-path";
    this.trail.innerHTML = '<svg viewBox="0 0 1000 1000" preserveAspectRatio="none"><polyline/></svg><i></i>';
    this.document.body.append(this.trail);
    this.drawnIndex = null; // the index of the step that is drawn
    this.requestedIndex = null;
    frame.contentWindow.addEventListener("keydown", onKey, true);
  }

  /** Draws a step: the one after the drawn step with its animation, any other without. */
  async show(index, quick) {
    this.requestedIndex = index;
    if (this.drawnIndex !== null && index === this.drawnIndex + 1) {
      this.#draw(index, quick);
      return;
    }
    const before = steps.slice(0, index).map(({ view }) => view);
    await this.board.resume(before.filter((view, number) => view !== before[number - 1]));
    if (this.requestedIndex !== index) return;
    this.#draw(index, true);
    for (const motion of this.document.getAnimations()) motion.finish();
  }

  #draw(index, atOnce) {
    const { view, over, away, ms } = steps[index];
    // A board's own clock stands at the time of the step.
    this.board.show(view, { over, wait: { ms: null, away }, clock: boardClock(ms), stands: true, atOnce });
    this.board.setLive(over === null);
    this.drawnIndex = index;
    this.fit();
  }

  /** Draws where the pointer was at a time, and how it came there. @param {number} ms */
  showPointer(ms) {
    const path = hand.pointer ?? [];
    const index = path.findLastIndex(([moment]) => moment <= ms);
    this.trail.hidden = index < 0 || !byId("pointer").checked;
    if (this.trail.hidden) return;
    const [, x, y] = path[index];
    const { left, top, width, height } = this.root.getBoundingClientRect();
    for (const [name, px] of Object.entries({ left, top, width, height })) this.trail.style[name] = `${px}px`;
    const begin = path.findIndex(([moment]) => moment >= ms - TRAIL_MS);
    const shown = begin < 0 ? [] : path.slice(begin, index + 1);
    this.trail.querySelector("polyline").setAttribute("points", shown.map(([, ...place]) => place).join(" "));
    Object.assign(this.trail.querySelector("i").style, { left: `${x / 10}%`, top: `${y / 10}%` });
  }

  /** Scales the board to the stage; in a narrow window and in print the stage is as high as the board. */
  fit() {
    const { frame, root, stage } = this;
    const isPrinting = matchMedia("print").matches;
    const isNarrow = isPrinting || matchMedia("(max-width: 56rem)").matches;
    const { width, height } = stage.clientWidth < 640 ? PHONE : DESK;
    Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
    const box = root.getBoundingClientRect();
    const widthScale = stage.clientWidth / box.width;
    const maxHeight = isPrinting ? DESK.height : isNarrow ? MAX_BOARD_SHARE * innerHeight : stage.clientHeight;
    const scale = Math.min(widthScale, maxHeight / box.height);
    const left = (stage.clientWidth - box.width * scale) / 2 - box.left * scale;
    const top = isNarrow ? 0 : (stage.clientHeight - box.height * scale) / 2;
    frame.style.transform = `translate(${left}px, ${top - box.top * scale}px) scale(${scale})`;
    stage.style.height = isNarrow ? `${box.height * scale}px` : "";
  }
}

// The page.

async function openHand(index, step = 0) {
  pause();
  screen = null;
  hand = hands[index];
  steps = unrollSteps(hand);
  byId("hand").selectedIndex = index;
  byId("hand-before").disabled = index === 0;
  byId("hand-after").disabled = index === hands.length - 1;
  drawFacts();
  drawTimeline();
  drawEvents();
  stepIndex = 0;
  const opened = await Screen.open(byId("stage"), hand);
  if (hand !== hands[index]) return; // another has been chosen since
  screen = opened;
  goTo(step);
  writeAddress();
}

// The address: `#hand=7&step=3` opens this step. It is updated while the hand does not play.

/** The index of the hand, and the step, in the address. */
function requestedPosition() {
  const options = new URLSearchParams(location.hash.slice(1));
  const index = hands.findIndex((listedHand) => String(listedHand.number) === options.get("hand"));
  return [Math.max(index, 0), Math.trunc(Number(options.get("step"))) || 0];
}

/** Writes the step to the address, but not while playing: some browsers limit how often a page may do that. */
function writeAddress() {
  if (lastTick === null && screen) history.replaceState(null, "", `#hand=${hand.number}&step=${stepIndex}`);
}

/** Shows a step, and sets the clock to it. */
function goTo(index, { quick = true, ms } = {}) {
  stepIndex = Math.min(Math.max(index, 0), steps.length - 1);
  clock = ms ?? steps[stepIndex].ms;
  screen?.show(stepIndex, quick);
  drawStep();
  drawHead();
}

function drawFacts() {
  const name = [hand.label, hand.label ? `(${hand.participant})` : hand.participant].filter(Boolean).join(" ");
  byId("who").textContent = name || hand.id;
  const seat = hand.seats.length > 1 ? `seat ${hand.seat}` : "";
  const number = `${hand.practice ? "practice hand" : "hand"} ${hand.number}`;
  const points = hand.score === "" ? "" : `score ${formatScore(hand.score)}`;
  const session = hand.session && `session ${hand.session}`;
  byId("summary").textContent = [hand.title, number, seat, hand.outcome, points, session].filter(Boolean).join(" · ");
  const settings = Object.entries(hand.settings).map(([key, value]) => [key, plain(value)]);
  const facts = [
    ["Hand", hand.id],
    ["Source", hand.source],
    ["First shown", hand.shown],
    ["Notice", hand.notice],
    ...settings,
  ];
  byId("facts").replaceChildren(...facts.filter(([, value]) => value !== "").map(fact));
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const fact = ([name, value]) => make("div", make("dt", name), make("dd", value));

function drawEvents() {
  byId("count").textContent = `${steps.length - 1} after the deal`;
  byId("events").replaceChildren(
    ...steps.map((step, index) => {
      const text = make("span.what", actionText(step), " ", make("span.kind", index ? kindOf(step) : ""));
      const gap = make("span.gap", index ? `+${secondsOf(step.gap)}` : "");
      gap.classList.toggle("long", step.gap >= PAUSE_MS);
      const item = make("li", make("span.at", timeOf(step.ms)), makeMark(step), text, gap);
      const sentence = sentenceOf(step);
      if (sentence) item.append(make("span.sentence", `“${sentence}”`));
      const beside = noteText(step);
      if (beside) item.append(make("span.beside", beside));
      item.addEventListener("click", () => jump(index));
      return item;
    }),
  );
}

function drawTimeline() {
  const totalMs = steps.at(-1).ms || 1;
  const left = (ms) => `${(100 * ms) / totalMs}%`;
  const kinds = Object.keys(KINDS).filter((kind) => kind !== "deal" && steps.some((step) => step.kind === kind));
  const lanes = kinds.map((kind) => {
    const track = make("div.track");
    steps.forEach((step, index) => {
      if (step.kind !== kind) return;
      const sign = makeMark(step);
      sign.style.left = left(step.ms);
      sign.dataset.step = index;
      track.append(sign);
    });
    return make("div.lane", make("span.name", KINDS[kind][1]), track);
  });
  const over = make("div.track.over-lanes");
  byId("timeline").replaceChildren(over);
  steps.forEach((step, index) => {
    if (step.gap < PAUSE_MS) return;
    const pauseBand = make("div.pause");
    const share = step.gap / totalMs;
    pauseBand.style.left = left(steps[index - 1].ms);
    pauseBand.style.width = `${100 * share}%`;
    if (share * over.clientWidth > MIN_LABEL_WIDTH) pauseBand.append(make("span", secondsOf(step.gap)));
    over.append(pauseBand);
  });
  const head = make("div.head");
  head.id = "head";
  over.append(head);
  byId("timeline").replaceChildren(over, ...lanes, make("div.ends", "Pauses"));
}

function drawHead() {
  const totalMs = steps.at(-1).ms || 1;
  byId("head").style.left = `${(100 * Math.min(clock, totalMs)) / totalMs}%`;
  byId("time").textContent = timeOf(clock);
  screen?.showPointer(clock);
}

function drawStep() {
  const step = steps[stepIndex];
  const sentence = sentenceOf(step);
  const text = make("p", make("b", kindOf(step)));
  if (stepIndex) text.append(` ${actionText(step)}`);
  if (sentence) text.append(" ", make("span.sentence", `“${sentence}”`));
  const beside = noteText(step);
  if (beside) text.append(" ", make("span.beside", beside));
  const gap = stepIndex ? make("p.gap", `after ${secondsOf(step.gap)}`) : "";
  byId("now").replaceChildren(makeMark(step), text, gap);
  byId("now").classList.toggle("is-refused", step.kind === "refused");
  byId("step").textContent = `${stepIndex} of ${steps.length - 1}`;
  const isFromLog = step.log_ms !== undefined;
  byId("client").textContent = (isFromLog ? step.ms : step.client_ms) ?? "—";
  byId("client-name").textContent = isFromLog ? "ms" : "client_ms";
  byId("server-name").textContent = isFromLog ? "Clock of the log" : "Server, UTC";
  byId("server").textContent = isFromLog ? (step.log_ms / 1000).toFixed(3) : serverTime(step);
  byId("server").title = step.server ?? "";
  for (const id of ["first", "back"]) byId(id).disabled = stepIndex === 0;
  for (const id of ["forward", "last"]) byId(id).disabled = stepIndex === steps.length - 1;
  const items = byId("events").children;
  for (const item of items) item.removeAttribute("aria-current");
  items[stepIndex].setAttribute("aria-current", "step");
  scrollToItem(items[stepIndex]);
  for (const sign of byId("timeline").querySelectorAll(".mark")) {
    sign.classList.toggle("is-now", Number(sign.dataset.step) === stepIndex);
  }
  drawState();
}

/** `14:03:07.412`; the day is in its title. */
const serverTime = ({ server }) => (server ?? hand.shown).slice(11).replace("Z", "") || "—";

/** Scrolls the list, but not the page, to an item. */
function scrollToItem(item) {
  const list = byId("events");
  const [box, listBox] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < listBox.top) list.scrollTop -= listBox.top - box.top + box.height;
  else if (box.bottom > listBox.bottom) list.scrollTop += box.bottom - listBox.bottom + box.height;
}

function drawState() {
  byId("inside").hidden = !byId("reveal").checked;
  if (byId("inside").hidden) {
    byId("inside").replaceChildren();
    return;
  }
  byId("inside").replaceChildren(...[["Deal", hand.deal], ...Object.entries(steps[stepIndex].state)].map(fact));
}

// Playing.

function play() {
  if (stepIndex === steps.length - 1) goTo(0);
  lastTick = performance.now();
  requestAnimationFrame(tick);
  drawPlay();
}

function pause() {
  lastTick = null;
  drawPlay();
  writeAddress();
}

function tick(now) {
  if (lastTick === null) return;
  clock += Math.max(0, now - lastTick) * speed;
  lastTick = now;
  while (stepIndex < steps.length - 1 && steps[stepIndex + 1].ms <= clock) goTo(stepIndex + 1, { quick: speed > MAX_ANIMATED_SPEED, ms: clock });
  if (stepIndex === steps.length - 1) {
    clock = steps[stepIndex].ms;
    pause();
  } else requestAnimationFrame(tick);
  drawHead();
}

function drawPlay() {
  const playing = lastTick !== null;
  byId("play-sign").setAttribute("d", playing ? "M6 5h4v14H6zM14 5h4v14h-4z" : "M7 5v14l12-7z");
  byId("play-word").textContent = playing ? "Pause" : "Play";
}

function drawSpeed() {
  for (const button of document.querySelectorAll("[data-speed]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.speed) === speed));
  }
}

function jump(index) {
  pause();
  goTo(index);
  writeAddress();
}

const toggle = () => (lastTick === null ? play() : pause());

function setSpeed(factor) {
  speed = factor;
  drawSpeed();
}

const KEYS = {
  ArrowLeft: () => jump(stepIndex - 1),
  ArrowRight: () => jump(stepIndex + 1),
  Home: () => jump(0),
  End: () => jump(steps.length - 1),
  " ": toggle,
};

/** Handles keys before all other listeners, because a board must not use them. */
function onKey(event) {
  event.stopPropagation();
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const control = event.target.closest?.("button, select, input, summary");
  if (control && (event.key === " " || control.matches("select"))) return; // the key is meant for the focused control
  const keyAction = KEYS[event.key] ?? (SPEEDS[event.key - 1] && (() => setSpeed(SPEEDS[event.key - 1])));
  if (!keyAction) return;
  event.preventDefault(); // the page must not scroll, even before there is a board
  if (screen) keyAction();
}

addEventListener("keydown", onKey, true);
// A mouse leaves no focus behind, so that Space plays and does not press what was clicked last.
addEventListener("mousedown", (event) => event.target.closest("button, label") && event.preventDefault());
addEventListener("resize", () => {
  if (!screen) return;
  screen.fit();
  drawTimeline();
  drawStep();
  drawHead();
});
for (const print of ["beforeprint", "afterprint"]) addEventListener(print, () => screen?.fit());
byId("first").addEventListener("click", () => jump(0));
byId("back").addEventListener("click", () => jump(stepIndex - 1));
byId("forward").addEventListener("click", () => jump(stepIndex + 1));
byId("last").addEventListener("click", () => jump(steps.length - 1));
byId("play").addEventListener("click", toggle);
for (const button of document.querySelectorAll("[data-speed]")) {
  button.addEventListener("click", () => setSpeed(Number(button.dataset.speed)));
}
byId("reveal").addEventListener("change", () => {
  drawEvents();
  drawStep();
});
byId("timeline").addEventListener("click", ({ clientX }) => {
  const { left, width } = byId("timeline").querySelector(".track").getBoundingClientRect();
  const ms = (Math.min(Math.max(clientX - left, 0), width) / width) * steps.at(-1).ms;
  jump(steps.findLastIndex((step) => step.ms <= ms));
});
byId("pointer").addEventListener("change", drawHead);
byId("pointer").parentElement.hidden = !hands.some(({ pointer }) => pointer);
byId("hands").hidden = hands.length === 1;
byId("hand").append(
  ...hands.map((listedHand, index) => {
    const points = listedHand.score === "" ? "" : ` · ${formatScore(listedHand.score)}`;
    return new Option(`${index + 1}/${hands.length}: hand ${listedHand.number} · ${listedHand.outcome}${points}`);
  }),
);
byId("hand").addEventListener("change", () => openHand(byId("hand").selectedIndex));
byId("hand-before").addEventListener("click", () => openHand(byId("hand").selectedIndex - 1));
byId("hand-after").addEventListener("click", () => openHand(byId("hand").selectedIndex + 1));
addEventListener("hashchange", () => {
  const [index, step] = requestedPosition();
  if (hands[index] === hand) jump(step);
  else openHand(index, step);
});
drawSpeed();
await openHand(...requestedPosition());
