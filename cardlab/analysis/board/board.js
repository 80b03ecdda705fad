/**
 * The page of the analysis board (cardlab/analysis/board): steps through a hand and its branches, plays moves, and shows
 * the value of each move. Texts from the data are inserted as text, never as HTML.
 */

const DESK = { width: 1280, height: 720 }; // the window that the board is shown in, px
const MIN_WIDTH = 1000; // of the window in a narrow stage, so that the board fills it
const PHONE = { width: 390, height: 844 };
const NARROW = "(max-width: 56rem) and (orientation: portrait)";
const MAX_BOARD_SHARE = 0.5; // of a narrow window's height that the board may take
const POLL_MS = 200; // while values are being computed
const ON_TURN = ""; // instead of a seat: seen from the seat on turn

const byId = (id) => document.getElementById(id);
const make = (kind, ...children) => {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  element.append(...children);
  return element;
};

// The server.

/** Sends a request to the server and returns its answer. @throws {Error} with a message for the user */
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
let shownNode = null; // the shown node, as the server describes it
let targetNumber = 0; // the number of the shown or requested node
let table = null; // its board
let drawnState = null; // what the board shows: hand, node, seat and whether all cards lie open
let selectedIndex = 0; // the selected move
let isSelectedByUser = false; // else it is the default
let rows = []; // the moves that can be selected
let values = { status: "done", problem: "", values: {}, best: {} };
let visitCount = 0; // the number of positions that were opened
let drawing = Promise.resolve(); // the last drawing of the board

const childrenOf = (number) => hand.children[number];

function indexChildren() {
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

function mainLineBefore(number) {
  let main = number;
  while (!hand.nodes[main].main) main = hand.nodes[main].parent;
  return main;
}

/** `S: play 10S`, without a seat where there is one only. */
const actionText = ({ seat, action }) => (hand.seats.length > 1 && seat ? `${seat}: ${action}` : action);

function showNote(sentence, isProblem = false) {
  byId("note").textContent = sentence;
  byId("note").classList.toggle("is-problem", isProblem);
}

const showProblem = (error) => showNote(error.message, true);

/** The seat from which the board is seen. */
function viewingSeat() {
  const wanted = byId("seat").value;
  if (wanted !== ON_TURN) return wanted;
  const seat = drawnState?.seat ?? hand.seat;
  return shownNode.waiting.includes(seat) ? seat : (shownNode.waiting[0] ?? seat);
}

// Navigation.

async function openHand(number) {
  const visitNumber = ++visitCount;
  shownNode = null; // nothing can be done until the new board is there
  byId("hand").value = String(number);
  byId("hand-before").disabled = number === 0;
  byId("hand-after").disabled = number === hands.length - 1;
  const opened = await ask("hand", { hand: number });
  if (visitNumber !== visitCount) return;
  hand = { ...opened, way: new Map() };
  indexChildren();
  byId("summary").textContent = [hand.game_title, hand.title, hand.end].filter(Boolean).join(" · ");
  drawSettings();
  drawSeats();
  showNote(hand.notice, true);
  drawnState = null;
  const opening = await openTable();
  if (visitNumber !== visitCount) return;
  table = opening;
  const address = new URLSearchParams(location.hash.slice(1));
  const requestedNode = Number(address.get("hand")) === number ? Number(address.get("node")) : 0;
  await goTo(hand.nodes[requestedNode] ? requestedNode : 0);
}

/** Shows a position of the open hand. */
async function goTo(number) {
  const visitNumber = ++visitCount;
  targetNumber = number;
  const found = await ask("node", { hand: hand.hand, node: number });
  if (visitNumber !== visitCount) return;
  shownNode = found;
  const { parent } = hand.nodes[number];
  if (parent !== null) hand.way.set(parent, number);
  for (let node = parent; node !== null && hand.nodes[node].parent !== null; node = hand.nodes[node].parent) {
    hand.way.set(hand.nodes[node].parent, node);
  }
  history.replaceState(null, "", `#hand=${hand.hand}&node=${number}`);
  values = { status: shownNode.waiting.length ? "computing" : "done", problem: "", values: {}, best: {} };
  drawMoves(true);
  drawLine();
  drawControls();
  drawFacts();
  await drawBoard();
  if (visitNumber === visitCount) await fillValues(visitNumber);
}

/** Requests the values until all are computed or another position is shown. */
async function fillValues(visitNumber) {
  let first = "1";
  while (visitNumber === visitCount) {
    const found = await ask("values", { hand: hand.hand, node: shownNode.node, first });
    if (visitNumber !== visitCount) return;
    first = "";
    values = found;
    drawMoves();
    if (found.status === "done") return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Plays an action in the shown position. @returns {boolean} whether it was sent */
function play(seat, action) {
  showNote("");
  send("play", { hand: hand.hand, node: shownNode.node, seat, action }).then(
    ({ node, nodes }) => {
      hand.nodes.push(...nodes);
      indexChildren();
      return goTo(node);
    },
    (error) => {
      showProblem(error);
      table.refuse();
    },
  ).catch(showProblem);
  return true;
}

const step = (number) => {
  if (!shownNode || number === undefined || number === null || number === targetNumber) return;
  showNote("");
  goTo(number).catch((error) => {
    targetNumber = shownNode.node;
    showProblem(error);
  });
};
const stepBack = () => step(hand.nodes[targetNumber].parent);
const stepForward = () => step(nextOf(targetNumber));
const stepToEnd = () => step(lastOf(targetNumber));

/** Goes to the next variation of this move, or of the last earlier move that has one. */
function nextVariation() {
  for (let number = targetNumber; hand.nodes[number].parent !== null; number = hand.nodes[number].parent) {
    const siblings = childrenOf(hand.nodes[number].parent);
    if (siblings.length > 1) {
      step(siblings[(siblings.indexOf(number) + 1) % siblings.length]);
      return;
    }
  }
  showNote("There is no variation on the way to this position.");
}

function toMainLine() {
  const main = mainLineBefore(targetNumber);
  if (main === targetNumber) showNote("This position is on the main line.");
  else {
    for (const number of childrenOf(main)) if (hand.nodes[number].main) hand.way.set(main, number);
    step(main);
  }
}

// The board.

async function openTable() {
  const frame = make("iframe");
  frame.title = "Board";
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.src = `table?game=${encodeURIComponent(hand.game)}`;
  byId("stage").replaceChildren(frame);
  await loaded;
  const open = await frame.contentWindow.openTable;
  return open({
    settings: hand.settings,
    onAction: (action) => play(drawnState.seat, action),
    onNote: (sentence) => showNote(sentence),
    onKey,
  });
}

/** Draws positions one after another, because a board needs time to continue from an earlier one. */
function drawBoard() {
  drawing = drawing.catch(() => {}).then(drawCurrent);
  return drawing;
}

async function drawCurrent() {
  if (!shownNode) return;
  const seat = viewingSeat();
  const isOpen = byId("open").checked && Boolean(shownNode.open_views[seat]);
  const view = (isOpen ? shownNode.open_views : shownNode.views)[seat];
  const current = { hand: hand.hand, node: shownNode.node, seat, isOpen };
  const follows = drawnState && drawnState.node === hand.nodes[shownNode.node].parent && drawnState.seat === seat && drawnState.isOpen === isOpen;
  const before = follows ? null : (await ask("views", { hand: hand.hand, node: shownNode.node, seat })).views;
  if (current.hand !== hand.hand || current.node !== shownNode?.node) return;
  drawnState = current;
  const over = shownNode.over[seat] || null;
  await table.show(view, { before, over, live: shownNode.waiting.includes(seat) || Boolean(shownNode.legal[seat]) });
  fitBoard();
}

/** The width of a window with the stage's proportions, within the limits for boards. */
function widthFor({ clientWidth, clientHeight }) {
  const widthInProportion = Math.round((DESK.height * clientWidth) / (clientHeight || 1));
  return Math.min(Math.max(widthInProportion, MIN_WIDTH), DESK.width);
}

/** Scales the board to the stage; in a narrow window the stage is as high as the board. */
function fitBoard() {
  if (!table || !drawnState) return;
  const stage = byId("stage");
  const frame = stage.firstElementChild;
  const isNarrow = matchMedia(NARROW).matches;
  const { width, height } = isNarrow && stage.clientWidth < 640 ? PHONE : { ...DESK, width: widthFor(stage) };
  Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
  const box = table.box();
  const maxHeight = isNarrow ? MAX_BOARD_SHARE * innerHeight : stage.clientHeight;
  const scale = Math.min(stage.clientWidth / box.width, maxHeight / box.height);
  const left = (stage.clientWidth - box.width * scale) / 2 - box.left * scale;
  const top = isNarrow ? 0 : (stage.clientHeight - box.height * scale) / 2;
  frame.style.transform = `translate(${left}px, ${top - box.top * scale}px) scale(${scale})`;
  stage.style.height = isNarrow ? `${box.height * scale}px` : "";
}

// The panel next to the board.

/** The moves of a seat: those with a value first, the best on top; then the others, in the order of the rules. */
function movesOf(seat) {
  const valuesByAction = new Map((values.values[seat] ?? []).map((value) => [value.action, value]));
  const legal = shownNode.legal[seat].map((action) => ({ seat, action, ...valuesByAction.get(action) }));
  const keys = legal.map(({ key }) => key).filter((key) => typeof key === "number");
  const best = Math.max(...keys);
  const hasBest = keys.some((key) => key !== best); // no move is marked if all are equal
  for (const move of legal) move.isBest = hasBest && move.key === best;
  return legal.sort((a, b) => (b.key ?? -Infinity) - (a.key ?? -Infinity) || 0);
}

function drawMoves(isNew = false) {
  if (isNew) isSelectedByUser = false;
  const selectedMove = isSelectedByUser ? rows[selectedIndex] : null;
  const seats = Object.keys(shownNode.legal).sort((a, b) => shownNode.waiting.includes(b) - shownNode.waiting.includes(a));
  rows = seats.flatMap(movesOf);
  const played = new Set(childrenOf(shownNode.node).map((number) => actionText(hand.nodes[number])));
  const main = childrenOf(shownNode.node).find((number) => hand.nodes[number].main);
  selectedIndex = 0;
  if (selectedMove) selectedIndex = Math.max(0, rows.findIndex(({ seat, action }) => seat === selectedMove.seat && action === selectedMove.action));
  const items = rows.map((move, number) => {
    const { action, seat, text, source, detail, isBest } = move;
    const name = make("span.action", actionText(move));
    if (main !== undefined && actionText(hand.nodes[main]) === actionText(move)) name.append(" ", make("span.tag", "played"));
    else if (played.has(actionText(move))) name.append(" ", make("span.tag", "tried"));
    const isWaiting = values.status === "computing" && shownNode.waiting.includes(seat);
    const value = make("span.value", text ?? (isWaiting ? "…" : ""));
    const item = make("div.move", name, value);
    if (source || detail) item.append(make("span.source", [source, detail].filter(Boolean).join(" · ")));
    item.setAttribute("role", "option");
    item.id = `move-${number}`;
    item.classList.toggle("is-best", Boolean(isBest));
    item.addEventListener("click", () => {
      selectedIndex = number;
      play(seat, action);
    });
    return item;
  });
  const over = Object.entries(shownNode.over).filter(([, outcome]) => outcome);
  byId("end").textContent = over.map(([seat, outcome]) => (hand.seats.length > 1 ? `${seat}: ${outcome}` : outcome)).join(", ");
  byId("moves").hidden = !items.length;
  byId("moves").replaceChildren(...items);
  byId("computing").textContent = values.problem || (values.status === "computing" ? "computing …" : "");
  byId("computing").classList.toggle("is-problem", Boolean(values.problem));
  markSelection();
  drawBest();
}

/** Shows the best line of each seat that has one, closed until it is opened. */
function drawBest() {
  const lines = Object.entries(values.best).map(([seat, { text, actions }]) => {
    const title = make("summary", hand.seats.length > 1 ? `${seat}: ${text}` : text);
    return make("details.best", title, make("p", actions.join("; ")));
  });
  if (lines.length !== byId("best").children.length) byId("best").replaceChildren(...lines);
}

function markSelection() {
  const list = byId("moves");
  const items = [...list.querySelectorAll(".move")];
  items.forEach((item, number) => item.setAttribute("aria-selected", String(number === selectedIndex)));
  list.setAttribute("aria-activedescendant", items[selectedIndex]?.id ?? "");
  if (items[selectedIndex]) scrollToItem(items[selectedIndex], list);
}

function moveSelection(delta) {
  if (!rows.length) return;
  isSelectedByUser = true;
  selectedIndex = (selectedIndex + delta + rows.length) % rows.length;
  markSelection();
}

/** Scrolls the list, but not the page, to an item. */
function scrollToItem(item, list) {
  const [box, listBox] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < listBox.top) list.scrollTop -= listBox.top - box.top + box.height;
  else if (box.bottom > listBox.bottom) list.scrollTop += box.bottom - listBox.bottom + box.height;
}

/** Draws the moves from the deal; variations are in separate blocks after the move that they replace. */
function drawLine() {
  const list = byId("line");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...lineFrom(0));
  const current = list.querySelector("[aria-current]");
  scrollToItem(current, list);
  if (hadFocus) current.focus({ preventScroll: true });
  const count = hand.nodes.filter((node, number) => !node.main && childrenOf(node.parent).indexOf(number) > 0).length;
  byId("variations").textContent = count ? `${count} variation${count === 1 ? "" : "s"}` : "";
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
  button.tabIndex = number === shownNode.node ? 0 : -1; // the arrow keys go from move to move
  if (node.parent !== null) button.prepend(make("span.number", `${depthOf(number)}`));
  if (number === shownNode.node) button.setAttribute("aria-current", "step");
  button.addEventListener("click", () => step(number));
  return button;
}

function drawControls() {
  const { parent, main } = hand.nodes[shownNode.node];
  const last = lastOf(shownNode.node);
  byId("first").disabled = byId("back").disabled = parent === null;
  byId("forward").disabled = byId("last").disabled = last === shownNode.node;
  byId("main-line").disabled = main;
  const moveCount = depthOf(last);
  const variationText = main ? "" : "variation · ";
  const turnText = shownNode.waiting.length && hand.seats.length > 1 ? ` · ${shownNode.waiting.join(", ")} to act` : "";
  byId("place").textContent = `${variationText}${depthOf(shownNode.node)} of ${moveCount}${turnText}`;
  byId("take-position").hidden = shownNode.deal === null;
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const fact = ([name, value]) => make("div", make("dt", name), make("dd", plain(value)));

function drawFacts() {
  const scores = Object.entries(shownNode.scores).map(([seat, score]) => [hand.seats.length > 1 ? `score ${seat}` : "score", score]);
  byId("known").replaceChildren(...[...Object.entries(shownNode.known), ...scores].filter(([, value]) => value !== "").map(fact));
}

function drawSettings() {
  byId("deal").value = hand.deal;
  byId("settings").replaceChildren(...Object.entries(hand.settings).map(fact));
}

function drawSeats() {
  const several = hand.seats.length > 1;
  const options = hand.seats.map((seat) => new Option(several ? `seat ${seat}` : "the player", seat));
  if (several) options.push(new Option("the seat to act", ON_TURN));
  byId("seat").replaceChildren(...options);
  byId("seat").value = hand.seat;
  byId("seat").parentElement.hidden = !several;
  byId("open").parentElement.hidden = !hand.has_open_view;
}

function drawHands() {
  byId("hands").hidden = hands.length === 1;
  byId("hand").replaceChildren(...hands.map(({ title }, number) => new Option(`${number + 1}/${hands.length}: ${title}`, String(number))));
}

// Keys, wherever the focus is.

const KEYS = {
  ArrowLeft: stepBack,
  ArrowRight: stepForward,
  Home: () => step(0),
  End: stepToEnd,
  ArrowUp: () => moveSelection(-1),
  ArrowDown: () => moveSelection(1),
  Enter: () => rows[selectedIndex] && targetNumber === shownNode.node && play(rows[selectedIndex].seat, rows[selectedIndex].action),
  Escape: toMainLine,
  v: nextVariation,
  a: () => byId("open").click(),
};
const BOARD_KEYS = ["ArrowUp", "ArrowDown", "Enter"]; // used by the board itself while one of its places has the focus

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !shownNode) return;
  const { target, key } = event;
  const inBoard = target.ownerDocument !== document && target !== target.ownerDocument.body;
  if (target.closest?.("textarea, input[type=file], select, dialog")) return;
  if (inBoard && BOARD_KEYS.includes(key)) return;
  if (key === "Enter" && target.closest?.("button, summary, input")) return;
  const keyAction = KEYS[key.length === 1 ? key.toLowerCase() : key];
  if (!keyAction) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat || key.startsWith("Arrow")) keyAction();
}

addEventListener("keydown", onKey, true);
// A mouse leaves no focus behind, so that Enter plays the selected move and does not press what was clicked last.
addEventListener("mousedown", (event) => event.target.closest("button, .move, label.check") && event.preventDefault());
addEventListener("resize", fitBoard);
byId("first").addEventListener("click", () => step(0));
byId("back").addEventListener("click", stepBack);
byId("forward").addEventListener("click", stepForward);
byId("last").addEventListener("click", stepToEnd);
byId("main-line").addEventListener("click", () => shownNode && toMainLine());
byId("seat").addEventListener("change", () => drawBoard().catch(showProblem));
byId("open").addEventListener("change", () => drawBoard().catch(showProblem));
byId("take-position").addEventListener("click", () => {
  byId("deal").value = shownNode.deal;
});
byId("set-up").addEventListener("submit", (event) => {
  event.preventDefault();
  showNote("");
  send("set-up", { hand: hand.hand, deal: byId("deal").value }).then(openNew).catch(showProblem);
});
byId("file").addEventListener("change", async () => {
  const [file] = byId("file").files;
  if (!file) return;
  showNote("");
  send("load", { name: file.name, text: await file.text() })
    .then(async (opened) => {
      await openNew(opened);
      showNote(opened.warnings.join(" "));
    })
    .catch(showProblem);
});
byId("hand").addEventListener("change", () => openHand(Number(byId("hand").value)).catch(showProblem));
byId("hand-before").addEventListener("click", () => openHand(Number(byId("hand").value) - 1).catch(showProblem));
byId("hand-after").addEventListener("click", () => openHand(Number(byId("hand").value) + 1).catch(showProblem));

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
