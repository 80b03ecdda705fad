/**
 * The page of the analysis board (cardlab/analysis/board): steps through a hand and its branches, plays moves, and shows
 * beside each move what it is worth. All texts from the data are text and nothing else.
 */

const DESK = { width: 1280, height: 720 }; // the window that the board is shown in, px
const LEAST_WIDTH = 1000; // of a window that is narrower, so that the board fills the stage
const PHONE = { width: 390, height: 844 };
const NARROW = "(max-width: 56rem) and (orientation: portrait)";
const SHARE_OF_PHONE = 0.5; // of a narrow window's height that the board may take
const POLL = 200; // ms between two questions for values that are still being computed
const ON_TURN = ""; // instead of a seat: seen from the seat on turn

const at = (id) => document.getElementById(id);
const make = (kind, ...children) => {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  element.append(...children);
  return element;
};

// The server.

/** Asks the server. @throws {Error} with a sentence */
async function request(name, query, options = {}) {
  const address = `api/${name}?${new URLSearchParams(query)}`;
  let reply;
  try {
    reply = await fetch(address, options);
  } catch {
    throw new Error("The command that serves this page has ended. Start it again.");
  }
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.error);
  return answer;
}

const ask = (name, query = {}) => request(name, query);
const send = (name, body) =>
  request(name, {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// What is shown.

let hands = [];
let hand = null; // the open hand, with its nodes
let here = null; // the node that is shown, as the server describes it
let goal = 0; // the number of the node that is shown or on its way
let table = null; // its board
let drawn = null; // what the board shows: hand, node, seat and whether all cards lie open
let chosen = 0; // the selected move
let isChosen = false; // whether the user has selected it
let rows = []; // the moves that can be selected
let values = { status: "done", problem: "", values: {} };
let visit = 0; // counts the positions that were gone to
let drawing = Promise.resolve(); // the last drawing of the board

const childrenOf = (number) => hand.children[number];

function index() {
  hand.children = hand.nodes.map(() => []);
  hand.nodes.forEach(({ parent }, number) => {
    if (parent !== null) hand.children[parent].push(number);
  });
}

/** The next position of the line: the one that was last gone to, else the first. */
const nextOf = (number) => hand.way.get(number) ?? childrenOf(number)[0];

function lastOf(number) {
  let last = number;
  for (let next = nextOf(last); next !== undefined; next = nextOf(last)) last = next;
  return last;
}

/** The number of moves from the deal. */
function depthOf(number) {
  let depth = 0;
  for (let node = hand.nodes[number]; node.parent !== null; node = hand.nodes[node.parent]) depth += 1;
  return depth;
}

function mainBefore(number) {
  let main = number;
  while (!hand.nodes[main].main) main = hand.nodes[main].parent;
  return main;
}

/** `S: play 10S`, without a seat where there is one only. */
const actionText = ({ seat, action }) => (hand.seats.length > 1 && seat ? `${seat}: ${action}` : action);

function note(sentence, isProblem = false) {
  at("note").textContent = sentence;
  at("note").classList.toggle("is-problem", isProblem);
}

const showProblem = (error) => note(error.message, true);

/** The seat from which the board is seen. */
function seatShown() {
  const wanted = at("seat").value;
  if (wanted !== ON_TURN) return wanted;
  const seat = drawn?.seat ?? hand.seat;
  return here.waiting.includes(seat) ? seat : (here.waiting[0] ?? seat);
}

// Going somewhere.

async function openHand(number) {
  const mine = ++visit;
  here = null; // nothing can be done until the new board is there
  at("hand").value = String(number);
  at("hand-before").disabled = number === 0;
  at("hand-after").disabled = number === hands.length - 1;
  const opened = await ask("hand", { hand: number });
  if (mine !== visit) return;
  hand = { ...opened, way: new Map() };
  index();
  at("summary").textContent = [hand.game_title, hand.title, hand.end].filter(Boolean).join(" · ");
  drawSettings();
  drawSeats();
  note(hand.notice, true);
  drawn = null;
  const opening = await openTable();
  if (mine !== visit) return;
  table = opening;
  const address = new URLSearchParams(location.hash.slice(1));
  const asked = Number(address.get("hand")) === number ? Number(address.get("node")) : 0;
  await go(hand.nodes[asked] ? asked : 0);
}

/** Shows a position of the open hand. */
async function go(number) {
  const mine = ++visit;
  goal = number;
  const found = await ask("node", { hand: hand.hand, node: number });
  if (mine !== visit) return;
  here = found;
  const { parent } = hand.nodes[number];
  if (parent !== null) hand.way.set(parent, number);
  for (let node = parent; node !== null && hand.nodes[node].parent !== null; node = hand.nodes[node].parent) {
    hand.way.set(hand.nodes[node].parent, node);
  }
  history.replaceState(null, "", `#hand=${hand.hand}&node=${number}`);
  values = { status: here.waiting.length ? "computing" : "done", problem: "", values: {} };
  drawMoves(true);
  drawLine();
  drawControls();
  drawKnown();
  await drawBoard();
  if (mine === visit) await fillValues(mine);
}

/** Asks for the values until all are there or another position is shown. */
async function fillValues(mine) {
  let first = "1";
  while (mine === visit) {
    const found = await ask("values", { hand: hand.hand, node: here.node, first });
    if (mine !== visit) return;
    first = "";
    values = found;
    drawMoves();
    if (found.status === "done") return;
    await new Promise((done) => setTimeout(done, POLL));
  }
}

/** Plays an action here. @returns {boolean} whether it is on its way */
function play(seat, action) {
  note("");
  send("play", { hand: hand.hand, node: here.node, seat, action }).then(
    ({ node, nodes }) => {
      hand.nodes.push(...nodes);
      index();
      return go(node);
    },
    (error) => {
      showProblem(error);
      table.refuse();
    },
  ).catch(showProblem);
  return true;
}

const step = (number) => {
  if (!here || number === undefined || number === null || number === goal) return;
  note("");
  go(number).catch((error) => {
    goal = here.node;
    showProblem(error);
  });
};
const stepBack = () => step(hand.nodes[goal].parent);
const stepOn = () => step(nextOf(goal));
const stepToEnd = () => step(lastOf(goal));

/** To the next variation of this move, or of the last one before that has another. */
function nextVariation() {
  for (let number = goal; hand.nodes[number].parent !== null; number = hand.nodes[number].parent) {
    const siblings = childrenOf(hand.nodes[number].parent);
    if (siblings.length > 1) {
      step(siblings[(siblings.indexOf(number) + 1) % siblings.length]);
      return;
    }
  }
  note("There is no variation on the way to this position.");
}

function toMainLine() {
  const main = mainBefore(goal);
  if (main === goal) note("This position is on the main line.");
  else {
    for (const number of childrenOf(main)) if (hand.nodes[number].main) hand.way.set(main, number);
    step(main);
  }
}

// The board.

async function openTable() {
  const frame = make("iframe");
  frame.title = "Board";
  const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  frame.src = `table?game=${encodeURIComponent(hand.game)}`;
  at("stage").replaceChildren(frame);
  await loaded;
  const open = await frame.contentWindow.openTable;
  return open({
    settings: hand.settings,
    onAction: (action) => play(drawn.seat, action),
    onNote: (sentence) => note(sentence),
    onKey,
  });
}

/** Draws one position after another, because a board takes a moment to go on from an earlier one. */
function drawBoard() {
  drawing = drawing.catch(() => {}).then(drawNow);
  return drawing;
}

async function drawNow() {
  if (!here) return;
  const seat = seatShown();
  const isOpen = at("open").checked && Boolean(here.open_views[seat]);
  const view = (isOpen ? here.open_views : here.views)[seat];
  const now = { hand: hand.hand, node: here.node, seat, isOpen };
  const follows = drawn && drawn.node === hand.nodes[here.node].parent && drawn.seat === seat && drawn.isOpen === isOpen;
  const before = follows ? null : (await ask("views", { hand: hand.hand, node: here.node, seat })).views;
  if (now.hand !== hand.hand || now.node !== here?.node) return;
  drawn = now;
  const over = here.over[seat] || null;
  await table.show(view, { before, over, live: here.waiting.includes(seat) || Boolean(here.legal[seat]) });
  fit();
}

/** The width of a window of the stage's form, as far as boards have room in it. */
function widthFor({ clientWidth, clientHeight }) {
  const like = Math.round((DESK.height * clientWidth) / (clientHeight || 1));
  return Math.min(Math.max(like, LEAST_WIDTH), DESK.width);
}

/** As large as the stage allows; in a narrow window the stage is as high as the board. */
function fit() {
  if (!table || !drawn) return;
  const stage = at("stage");
  const frame = stage.firstElementChild;
  const flows = matchMedia(NARROW).matches;
  const { width, height } = flows && stage.clientWidth < 640 ? PHONE : { ...DESK, width: widthFor(stage) };
  Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
  const box = table.box();
  const high = flows ? SHARE_OF_PHONE * innerHeight : stage.clientHeight;
  const scale = Math.min(stage.clientWidth / box.width, high / box.height);
  const left = (stage.clientWidth - box.width * scale) / 2 - box.left * scale;
  const top = flows ? 0 : (stage.clientHeight - box.height * scale) / 2;
  frame.style.transform = `translate(${left}px, ${top - box.top * scale}px) scale(${scale})`;
  stage.style.height = flows ? `${box.height * scale}px` : "";
}

// Beside the board.

/** The moves of a seat: those with a value first, the best on top; then the others, in the order of the rules. */
function movesOf(seat) {
  const known = new Map((values.values[seat] ?? []).map((value) => [value.action, value]));
  const legal = here.legal[seat].map((action) => ({ seat, action, ...known.get(action) }));
  const keys = legal.map(({ key }) => key).filter((key) => typeof key === "number");
  const best = Math.max(...keys);
  const isTold = keys.some((key) => key !== best); // where all are equal, none is marked
  for (const move of legal) move.isBest = isTold && move.key === best;
  return legal.sort((a, b) => (b.key ?? -Infinity) - (a.key ?? -Infinity) || 0);
}

function drawMoves(isNew = false) {
  if (isNew) isChosen = false;
  const kept = isChosen ? rows[chosen] : null;
  const seats = Object.keys(here.legal).sort((a, b) => here.waiting.includes(b) - here.waiting.includes(a));
  rows = seats.flatMap(movesOf);
  const played = new Set(childrenOf(here.node).map((number) => actionText(hand.nodes[number])));
  const main = childrenOf(here.node).find((number) => hand.nodes[number].main);
  chosen = 0;
  if (kept) chosen = Math.max(0, rows.findIndex(({ seat, action }) => seat === kept.seat && action === kept.action));
  const items = rows.map((move, number) => {
    const { action, seat, text, source, detail, isBest } = move;
    const name = make("span.action", actionText(move));
    if (main !== undefined && actionText(hand.nodes[main]) === actionText(move)) name.append(" ", make("span.tag", "played"));
    else if (played.has(actionText(move))) name.append(" ", make("span.tag", "tried"));
    const waits = values.status === "computing" && here.waiting.includes(seat);
    const value = make("span.value", text ?? (waits ? "…" : ""));
    const item = make("div.move", name, value);
    if (source || detail) item.append(make("span.source", [source, detail].filter(Boolean).join(" · ")));
    item.setAttribute("role", "option");
    item.id = `move-${number}`;
    item.classList.toggle("is-best", Boolean(isBest));
    item.addEventListener("click", () => {
      chosen = number;
      play(seat, action);
    });
    return item;
  });
  const over = Object.entries(here.over).filter(([, outcome]) => outcome);
  at("end").textContent = over.map(([seat, outcome]) => (hand.seats.length > 1 ? `${seat}: ${outcome}` : outcome)).join(", ");
  at("moves").hidden = !items.length;
  at("moves").replaceChildren(...items);
  at("computing").textContent = values.problem || (values.status === "computing" ? "computing …" : "");
  at("computing").classList.toggle("is-problem", Boolean(values.problem));
  markChosen();
}

function markChosen() {
  const list = at("moves");
  const items = [...list.querySelectorAll(".move")];
  items.forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
  list.setAttribute("aria-activedescendant", items[chosen]?.id ?? "");
  if (items[chosen]) intoView(items[chosen], list);
}

function select(by) {
  if (!rows.length) return;
  isChosen = true;
  chosen = (chosen + by + rows.length) % rows.length;
  markChosen();
}

/** Within its list; the page itself stays where it is. */
function intoView(item, list) {
  const [box, around] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < around.top) list.scrollTop -= around.top - box.top + box.height;
  else if (box.bottom > around.bottom) list.scrollTop += box.bottom - around.bottom + box.height;
}

/** The moves from the deal, with the variations in blocks of their own after the move that they replace. */
function drawLine() {
  const list = at("line");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...lineFrom(0));
  const now = list.querySelector("[aria-current]");
  intoView(now, list);
  if (hadFocus) now.focus({ preventScroll: true });
  const count = hand.nodes.filter((node, number) => !node.main && childrenOf(node.parent).indexOf(number) > 0).length;
  at("variations").textContent = count ? `${count} variation${count === 1 ? "" : "s"}` : "";
}

function lineFrom(root) {
  const parts = [moveButton(root)];
  let number = root;
  for (let children = childrenOf(number); children.length; children = childrenOf(number)) {
    const [first, ...others] = children;
    parts.push(moveButton(first));
    for (const other of others) parts.push(make("div.variation", ...lineFrom(other)));
    number = first;
  }
  return parts;
}

function moveButton(number) {
  const node = hand.nodes[number];
  const button = make("button", number ? actionText(node) : "Deal");
  button.type = "button";
  button.tabIndex = number === here.node ? 0 : -1; // the arrow keys step
  if (node.parent !== null) button.prepend(make("span.number", `${depthOf(number)}`));
  if (number === here.node) button.setAttribute("aria-current", "step");
  button.addEventListener("click", () => step(number));
  return button;
}

function drawControls() {
  const { parent, main } = hand.nodes[here.node];
  const last = lastOf(here.node);
  at("first").disabled = at("back").disabled = parent === null;
  at("forward").disabled = at("last").disabled = last === here.node;
  at("main-line").disabled = main;
  const of = depthOf(last);
  const where = main ? "" : "variation · ";
  const turn = here.waiting.length && hand.seats.length > 1 ? ` · ${here.waiting.join(", ")} to act` : "";
  at("place").textContent = `${where}${depthOf(here.node)} of ${of}${turn}`;
  at("take-position").hidden = here.deal === null;
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const fact = ([name, value]) => make("div", make("dt", name), make("dd", plain(value)));

function drawKnown() {
  const scores = Object.entries(here.scores).map(([seat, score]) => [hand.seats.length > 1 ? `score ${seat}` : "score", score]);
  at("known").replaceChildren(...[...Object.entries(here.known), ...scores].filter(([, value]) => value !== "").map(fact));
}

function drawSettings() {
  at("deal").value = hand.deal;
  at("settings").replaceChildren(...Object.entries(hand.settings).map(fact));
}

function drawSeats() {
  const several = hand.seats.length > 1;
  const options = hand.seats.map((seat) => new Option(several ? `seat ${seat}` : "the player", seat));
  if (several) options.push(new Option("the seat to act", ON_TURN));
  at("seat").replaceChildren(...options);
  at("seat").value = hand.seat;
  at("seat").parentElement.hidden = !several;
  at("open").parentElement.hidden = !hand.has_open_view;
}

function drawHands() {
  at("hands").hidden = hands.length === 1;
  at("hand").replaceChildren(...hands.map(({ title }, number) => new Option(`${number + 1}/${hands.length}: ${title}`, String(number))));
}

// Keys, wherever the focus is.

const KEYS = {
  ArrowLeft: stepBack,
  ArrowRight: stepOn,
  Home: () => step(0),
  End: stepToEnd,
  ArrowUp: () => select(-1),
  ArrowDown: () => select(1),
  Enter: () => rows[chosen] && goal === here.node && play(rows[chosen].seat, rows[chosen].action),
  Escape: toMainLine,
  v: nextVariation,
  a: () => at("open").click(),
};
const FOR_BOARDS = ["ArrowUp", "ArrowDown", "Enter"]; // with the focus on a place of a board, these are its own

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !here) return;
  const { target, key } = event;
  const inBoard = target.ownerDocument !== document && target !== target.ownerDocument.body;
  if (target.closest?.("textarea, input[type=file], select, dialog")) return;
  if (inBoard && FOR_BOARDS.includes(key)) return;
  if (key === "Enter" && target.closest?.("button, summary, input")) return;
  const act = KEYS[key.length === 1 ? key.toLowerCase() : key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat || key.startsWith("Arrow")) act();
}

addEventListener("keydown", onKey, true);
// A mouse leaves no focus behind, so that Enter plays the selected move and does not press what was clicked last.
addEventListener("mousedown", (event) => event.target.closest("button, .move, label.check") && event.preventDefault());
addEventListener("resize", fit);
at("first").addEventListener("click", () => step(0));
at("back").addEventListener("click", stepBack);
at("forward").addEventListener("click", stepOn);
at("last").addEventListener("click", stepToEnd);
at("main-line").addEventListener("click", () => here && toMainLine());
at("seat").addEventListener("change", () => drawBoard().catch(showProblem));
at("open").addEventListener("change", () => drawBoard().catch(showProblem));
at("take-position").addEventListener("click", () => {
  at("deal").value = here.deal;
});
at("set-up").addEventListener("submit", (event) => {
  event.preventDefault();
  note("");
  send("set-up", { hand: hand.hand, deal: at("deal").value }).then(openNew).catch(showProblem);
});
at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (!file) return;
  note("");
  send("load", { name: file.name, text: await file.text() })
    .then(async (opened) => {
      await openNew(opened);
      note(opened.warnings.join(" "));
    })
    .catch(showProblem);
});
at("hand").addEventListener("change", () => openHand(Number(at("hand").value)).catch(showProblem));
at("hand-before").addEventListener("click", () => openHand(Number(at("hand").value) - 1).catch(showProblem));
at("hand-after").addEventListener("click", () => openHand(Number(at("hand").value) + 1).catch(showProblem));

async function openNew({ hand: number }) {
  ({ hands } = await ask("hands"));
  drawHands();
  await openHand(number);
}

try {
  ({ hands } = await ask("hands"));
  drawHands();
  const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("hand"));
  await openHand(hands[wanted] ? wanted : 0);
} catch (error) {
  showProblem(error);
}
