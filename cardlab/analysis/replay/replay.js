/**
 * Plays hands again that a table or a log tells (cardlab/analysis/replay): the board as its seat saw it, step by step or
 * in real time. What the data say is text and nothing else; a refused action may be any text.
 */

const PAUSE = 3000; // ms without any event that count as a pause
const TOLD_UP_TO = 2; // times true speed; at higher speeds a board tells nothing and draws at once
const DESK = { width: 1280, height: 720 }; // the window that the board is shown in, px
const PHONE = { width: 390, height: 844 };
const SHARE_OF_PHONE = 0.57; // of a narrow window's height that the board may take
const WIDE_ENOUGH = 42; // px; a shorter pause is not labelled
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
const at = (id) => document.getElementById(id);
const make = (kind, ...children) => {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  element.append(...children);
  return element;
};

// The hand that is shown: its steps with what holds after each, and where in it we are.
let hand = null;
let steps = [];
let place = 0;
let screen = null;
let clock = 0; // ms since the hand was shown
let speed = 1;
let ticking = null; // performance.now() of the last tick, while playing

// What the data tell.

/** The value that a change makes of another; see `change` in cardlab/analysis/replay/reel.py. */
function changed(old, change) {
  if (change === undefined) return old;
  if (Array.isArray(change)) return change[0];
  const copy = Array.isArray(old) ? [...old] : { ...old };
  for (const [key, inside] of Object.entries(change)) copy[key] = changed(copy[key], inside);
  return copy;
}

/** The steps of a hand, each with all that holds after it. */
function unrolled({ seat, seats, steps }) {
  let now = { view: null, state: null, away: [], over: null };
  return steps.map((step, index) => {
    const { away = now.away, over = now.over } = step;
    now = { view: changed(now.view, step.view), state: changed(now.state, step.state), away, over };
    const own = seats.length === 1 || !step.seat || step.seat === seat;
    const kind = own || step.kind === "note" ? step.kind : "others";
    return { ...step, kind, ...now, own, actualKind: step.kind, gap: index ? step.ms - steps[index - 1].ms : 0 };
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

/** What a step is, in words; what another seat did is shown only on request. */
function what(step) {
  if (step.actualKind === "deal") return "Dealt";
  if (step.kind === "others" && !at("reveal").checked) return `${step.seat} acted`;
  const who = hand.seats.length > 1 && step.seat ? `${step.seat}: ` : "";
  return `${who}${step.action}${step.by ? " (by the server)" : ""}`;
}

function kindOf(step) {
  const shown = step.kind === "others" && at("reveal").checked ? step.actualKind : step.kind;
  return KINDS[shown][0];
}

const sentenceOf = (step) => (step.kind === "others" && !at("reveal").checked ? "" : (step.reason ?? ""));

/** What the analysis says of an action, which nobody saw who played. */
const besideOf = (step) => (step.kind === "others" && !at("reveal").checked ? "" : (step.beside ?? ""));

function mark(step) {
  const sign = make("span.mark");
  sign.dataset.kind = step.kind;
  sign.innerHTML = `<svg viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">${KINDS[step.kind][2]}</svg>`;
  return sign;
}

const score = (value) => (value === "" ? "" : String(value).replace("-", "−"));

// The board in a window of its own.

/** The time that a board shows: with the setting `clock` first_move it counts from the first move. */
function counted(ms) {
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
    this.drawn = null; // the index of the step that is drawn
    this.wanted = null;
    frame.contentWindow.addEventListener("keydown", onKey, true);
  }

  /** Draw a step; the one after the one drawn as it was to be seen then, any other at once. */
  async show(index, quick) {
    this.wanted = index;
    if (this.drawn !== null && index === this.drawn + 1) {
      this.#draw(index, quick);
      return;
    }
    const before = steps.slice(0, index).map(({ view }) => view);
    await this.board.resume(before.filter((view, nth) => view !== before[nth - 1]));
    if (this.wanted !== index) return;
    this.#draw(index, true);
    for (const motion of this.document.getAnimations()) motion.finish();
  }

  #draw(index, atOnce) {
    const { view, over, away, ms } = steps[index];
    // A board's own clock stands at the time of the step.
    this.board.show(view, { over, wait: { ms: null, away }, clock: counted(ms), stands: true, atOnce });
    this.board.setLive(over === null);
    this.drawn = index;
    this.fit();
  }

  /** As large as the stage allows; in a narrow window and on paper the stage is as high as the board. */
  fit() {
    const { frame, root, stage } = this;
    const paper = matchMedia("print").matches;
    const flows = paper || matchMedia("(max-width: 56rem)").matches;
    const { width, height } = stage.clientWidth < 640 ? PHONE : DESK;
    Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
    const box = root.getBoundingClientRect();
    const wide = stage.clientWidth / box.width;
    const high = paper ? DESK.height : flows ? SHARE_OF_PHONE * innerHeight : stage.clientHeight;
    const scale = Math.min(wide, high / box.height);
    const left = (stage.clientWidth - box.width * scale) / 2 - box.left * scale;
    const top = flows ? 0 : (stage.clientHeight - box.height * scale) / 2;
    frame.style.transform = `translate(${left}px, ${top - box.top * scale}px) scale(${scale})`;
    stage.style.height = flows ? `${box.height * scale}px` : "";
  }
}

// The page.

async function choose(index, step = 0) {
  pause();
  screen = null;
  hand = hands[index];
  steps = unrolled(hand);
  at("hand").selectedIndex = index;
  at("hand-before").disabled = index === 0;
  at("hand-after").disabled = index === hands.length - 1;
  drawFacts();
  drawTimeline();
  drawEvents();
  place = 0;
  const opened = await Screen.open(at("stage"), hand);
  if (hand !== hands[index]) return; // another has been chosen since
  screen = opened;
  go(step);
  tellAddress();
}

// The address: `#hand=7&step=3` opens the page there, and a page that stands still has its own.

/** What the address asks for: the index of the hand with this number, and the step. */
function requestedPosition() {
  const options = new URLSearchParams(location.hash.slice(1));
  const index = hands.findIndex((each) => String(each.number) === options.get("hand"));
  return [Math.max(index, 0), Math.trunc(Number(options.get("step"))) || 0];
}

/** No step of a hand that plays: some browsers let a page tell its address a few times a second only. */
function tellAddress() {
  if (ticking === null && screen) history.replaceState(null, "", `#hand=${hand.number}&step=${place}`);
}

/** Show a step, and set the clock to it. */
function go(index, { quick = true, ms } = {}) {
  place = Math.min(Math.max(index, 0), steps.length - 1);
  clock = ms ?? steps[place].ms;
  screen?.show(place, quick);
  drawNow();
  drawHead();
}

function drawFacts() {
  const name = [hand.label, hand.label ? `(${hand.participant})` : hand.participant].filter(Boolean).join(" ");
  at("who").textContent = name || hand.id;
  const seat = hand.seats.length > 1 ? `seat ${hand.seat}` : "";
  const number = `${hand.practice ? "practice hand" : "hand"} ${hand.number}`;
  const points = hand.score === "" ? "" : `score ${score(hand.score)}`;
  const session = hand.session && `session ${hand.session}`;
  at("summary").textContent = [hand.title, number, seat, hand.outcome, points, session].filter(Boolean).join(" · ");
  const settings = Object.entries(hand.settings).map(([key, value]) => [key, plain(value)]);
  const facts = [
    ["Hand", hand.id],
    ["Source", hand.source],
    ["First shown", hand.shown],
    ["Notice", hand.notice],
    ...settings,
  ];
  at("facts").replaceChildren(...facts.filter(([, value]) => value !== "").map(fact));
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const fact = ([name, value]) => make("div", make("dt", name), make("dd", value));

function drawEvents() {
  at("count").textContent = `${steps.length - 1} after the deal`;
  at("events").replaceChildren(
    ...steps.map((step, index) => {
      const text = make("span.what", what(step), " ", make("span.kind", index ? kindOf(step) : ""));
      const gap = make("span.gap", index ? `+${secondsOf(step.gap)}` : "");
      gap.classList.toggle("long", step.gap >= PAUSE);
      const item = make("li", make("span.at", timeOf(step.ms)), mark(step), text, gap);
      const sentence = sentenceOf(step);
      if (sentence) item.append(make("span.sentence", `“${sentence}”`));
      const beside = besideOf(step);
      if (beside) item.append(make("span.beside", beside));
      item.addEventListener("click", () => jump(index));
      return item;
    }),
  );
}

function drawTimeline() {
  const whole = steps.at(-1).ms || 1;
  const left = (ms) => `${(100 * ms) / whole}%`;
  const there = Object.keys(KINDS).filter((kind) => kind !== "deal" && steps.some((step) => step.kind === kind));
  const lanes = there.map((kind) => {
    const track = make("div.track");
    steps.forEach((step, index) => {
      if (step.kind !== kind) return;
      const sign = mark(step);
      sign.style.left = left(step.ms);
      sign.dataset.step = index;
      track.append(sign);
    });
    return make("div.lane", make("span.name", KINDS[kind][1]), track);
  });
  const over = make("div.track.over-lanes");
  at("timeline").replaceChildren(over);
  steps.forEach((step, index) => {
    if (step.gap < PAUSE) return;
    const pauseBand = make("div.pause");
    const share = step.gap / whole;
    pauseBand.style.left = left(steps[index - 1].ms);
    pauseBand.style.width = `${100 * share}%`;
    if (share * over.clientWidth > WIDE_ENOUGH) pauseBand.append(make("span", secondsOf(step.gap)));
    over.append(pauseBand);
  });
  const head = make("div.head");
  head.id = "head";
  over.append(head);
  at("timeline").replaceChildren(over, ...lanes, make("div.ends", "Pauses"));
}

function drawHead() {
  const whole = steps.at(-1).ms || 1;
  at("head").style.left = `${(100 * Math.min(clock, whole)) / whole}%`;
  at("time").textContent = timeOf(clock);
}

function drawNow() {
  const step = steps[place];
  const sentence = sentenceOf(step);
  const text = make("p", make("b", kindOf(step)));
  if (place) text.append(` ${what(step)}`);
  if (sentence) text.append(" ", make("span.sentence", `“${sentence}”`));
  const beside = besideOf(step);
  if (beside) text.append(" ", make("span.beside", beside));
  const gap = place ? make("p.gap", `after ${secondsOf(step.gap)}`) : "";
  at("now").replaceChildren(mark(step), text, gap);
  at("now").classList.toggle("is-refused", step.kind === "refused");
  at("step").textContent = `${place} of ${steps.length - 1}`;
  const log = step.log_ms !== undefined;
  at("client").textContent = (log ? step.ms : step.client_ms) ?? "—";
  at("client-name").textContent = log ? "ms" : "client_ms";
  at("server-name").textContent = log ? "Clock of the log" : "Server, UTC";
  at("server").textContent = log ? (step.log_ms / 1000).toFixed(3) : serverTime(step);
  at("server").title = step.server ?? "";
  for (const id of ["first", "back"]) at(id).disabled = place === 0;
  for (const id of ["forward", "last"]) at(id).disabled = place === steps.length - 1;
  const items = at("events").children;
  for (const item of items) item.removeAttribute("aria-current");
  items[place].setAttribute("aria-current", "step");
  intoView(items[place]);
  for (const sign of at("timeline").querySelectorAll(".mark")) {
    sign.classList.toggle("is-now", Number(sign.dataset.step) === place);
  }
  drawInside();
}

/** `14:03:07.412`; the day is in its title. */
const serverTime = ({ server }) => (server ?? hand.shown).slice(11).replace("Z", "") || "—";

/** Within its list; the page itself stays where it is. */
function intoView(item) {
  const list = at("events");
  const [box, around] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < around.top) list.scrollTop -= around.top - box.top + box.height;
  else if (box.bottom > around.bottom) list.scrollTop += box.bottom - around.bottom + box.height;
}

function drawInside() {
  at("inside").hidden = !at("reveal").checked;
  if (at("inside").hidden) {
    at("inside").replaceChildren();
    return;
  }
  at("inside").replaceChildren(...[["Deal", hand.deal], ...Object.entries(steps[place].state)].map(fact));
}

// Playing.

function play() {
  if (place === steps.length - 1) go(0);
  ticking = performance.now();
  requestAnimationFrame(tick);
  drawPlay();
}

function pause() {
  ticking = null;
  drawPlay();
  tellAddress();
}

function tick(now) {
  if (ticking === null) return;
  clock += Math.max(0, now - ticking) * speed;
  ticking = now;
  while (place < steps.length - 1 && steps[place + 1].ms <= clock) go(place + 1, { quick: speed > TOLD_UP_TO, ms: clock });
  if (place === steps.length - 1) {
    clock = steps[place].ms;
    pause();
  } else requestAnimationFrame(tick);
  drawHead();
}

function drawPlay() {
  const playing = ticking !== null;
  at("play-sign").setAttribute("d", playing ? "M6 5h4v14H6zM14 5h4v14h-4z" : "M7 5v14l12-7z");
  at("play-word").textContent = playing ? "Pause" : "Play";
}

function drawSpeed() {
  for (const button of document.querySelectorAll("[data-speed]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.speed) === speed));
  }
}

function jump(index) {
  pause();
  go(index);
  tellAddress();
}

const toggle = () => (ticking === null ? play() : pause());

function setSpeed(times) {
  speed = times;
  drawSpeed();
}

const KEYS = {
  ArrowLeft: () => jump(place - 1),
  ArrowRight: () => jump(place + 1),
  Home: () => jump(0),
  End: () => jump(steps.length - 1),
  " ": toggle,
};

/** Heard before anybody else: a board must not take the keys for its own. */
function onKey(event) {
  event.stopPropagation();
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const on = event.target.closest?.("button, select, input, summary");
  if (on && (event.key === " " || on.matches("select"))) return; // what has the focus is meant
  const act = KEYS[event.key] ?? (SPEEDS[event.key - 1] && (() => setSpeed(SPEEDS[event.key - 1])));
  if (!act) return;
  event.preventDefault(); // nor may the page scroll, even before there is a board
  if (screen) act();
}

addEventListener("keydown", onKey, true);
// A mouse leaves no focus behind, so that Space plays and does not press what was clicked last.
addEventListener("mousedown", (event) => event.target.closest("button, label") && event.preventDefault());
addEventListener("resize", () => {
  if (!screen) return;
  screen.fit();
  drawTimeline();
  drawNow();
  drawHead();
});
for (const print of ["beforeprint", "afterprint"]) addEventListener(print, () => screen?.fit());
at("first").addEventListener("click", () => jump(0));
at("back").addEventListener("click", () => jump(place - 1));
at("forward").addEventListener("click", () => jump(place + 1));
at("last").addEventListener("click", () => jump(steps.length - 1));
at("play").addEventListener("click", toggle);
for (const button of document.querySelectorAll("[data-speed]")) {
  button.addEventListener("click", () => setSpeed(Number(button.dataset.speed)));
}
at("reveal").addEventListener("change", () => {
  drawEvents();
  drawNow();
});
at("timeline").addEventListener("click", ({ clientX }) => {
  const { left, width } = at("timeline").querySelector(".track").getBoundingClientRect();
  const ms = (Math.min(Math.max(clientX - left, 0), width) / width) * steps.at(-1).ms;
  jump(steps.findLastIndex((step) => step.ms <= ms));
});
at("hands").hidden = hands.length === 1;
at("hand").append(
  ...hands.map((each, index) => {
    const points = each.score === "" ? "" : ` · ${score(each.score)}`;
    return new Option(`${index + 1}/${hands.length}: hand ${each.number} · ${each.outcome}${points}`);
  }),
);
at("hand").addEventListener("change", () => choose(at("hand").selectedIndex));
at("hand-before").addEventListener("click", () => choose(at("hand").selectedIndex - 1));
at("hand-after").addEventListener("click", () => choose(at("hand").selectedIndex + 1));
addEventListener("hashchange", () => {
  const [index, step] = requestedPosition();
  if (hands[index] === hand) jump(step);
  else choose(index, step);
});
drawSpeed();
await choose(...requestedPosition());
