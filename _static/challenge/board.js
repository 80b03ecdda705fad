/** The board of Challenge: draws views (scene.js) and handles gestures, keys and typed commands. */

import { BaseBoard } from "../cardlab/board.js";
import { isOthersTurn } from "../cardlab/turn.js";
import { build, preload, sizeOf } from "./build.js";
import { Captions } from "./captions.js";
import { Focus } from "./focus.js";
import { CommandLine } from "./command_line.js";
import { predict } from "./predict.js";
import { Scene } from "./scene.js";
import { Sentences } from "./sentences.js";

const ACTIONS = {
  ...{ "pick-up": "pick up", offer: "offer draw", claim: "claim win", consult: "consult" },
  ...{ accept: "accept", decline: "decline", "back-up": "back", pass: "pass", setup: "setup" },
};
const KEYS = {
  ...{ P: "pick-up", D: "offer", F: "claim", C: "consult", Y: "accept", N: "decline", R: "resign" },
  ...{ B: "back-up", Z: "pass" },
};

export class Board extends BaseBoard {
  static fromSettings(settings) {
    return { game: { draw_offers: true, claims: true, hints: false, ...settings } };
  }

  /**
   * @param {HTMLElement} root the board of `_templates/challenge/Board.html`
   * @param {import("../cardlab/board.js").BoardPage & {spellings: any, refusals: any, commands?: [string, string][], shows_line?: boolean, game?: object}} page `game`: the
   *   options of a record; without it, they follow from the list of commands. The other properties: command_line.js.
   */
  constructor(root, { game = null, spellings, refusals, commands = [], shows_line: shown = false, ...page }) {
    super(root, { ...page, predict });
    const commandNames = commands.map(([command]) => command);
    const offeredOptions = { draw_offers: commandNames.includes("!d"), claims: commandNames.includes("!f"), hints: commandNames.includes("!c") };
    this.game = game ?? offeredOptions;
    this.parts = build(root);
    this.sentences = new Sentences(this.words);
    this.scene = new Scene(root, this.parts, this.sentences);
    this.focus = new Focus(root, this.parts.near);
    const refuse = (sentence) => this.onNote(sentence);
    this.commandLine = new CommandLine(this.parts, { spellings, refusals, commands, shown }, (command) => this.#executeTyped(command), refuse);
    this.captions = new Captions(this);
    this.over = false;
    this.away = []; // the seats of absent participants
    this.movesAtOwnTurn = 0; // the number of moves at the opponent's last action
    this.faces = null; // the preloaded pictures
    // Browsers click a button when Space is released, but the board has already handled the key.
    root.addEventListener("keyup", (event) => {
      if (event.key === " " && event.target.closest("[data-place]")) event.preventDefault();
    });
  }

  setLive(live) {
    super.setLive(live);
    if (!this.parts) return; // not yet built
    if (!live) this.parts.leave.close();
    if (this.view) this.#drawCommands();
  }

  draw(before, state) {
    const { scene, view } = this;
    if (state) this.#readMessage(state);
    if (before !== view) {
      if (view.last[0] !== view.seat) this.movesAtOwnTurn = view.moves;
      this.captions.update(before, state?.wait?.ms ?? null);
    }
    this.faces ??= preload(sizeOf(view));
    this.#cancelDragOfMissingCard();
    const poses = before && scene.posesOfCards();
    const focusedCard = this.focus.at?.dataset.place ?? null;
    if (before) scene.leave(before, view);
    scene.draw(view, this);
    this.#drawCommands();
    if (!this.unconfirmedNews) this.captions.draw(state?.stands || !before); // the status is read aloud
    this.focus.restore(focusedCard);
    if (before) scene.arrive(poses, before, view);
    if (before && before !== view) this.captions.announce(before);
  }

  confirm(state) {
    this.#readMessage(state);
    this.captions.countdown.set(this.over ? null : (state.wait?.ms ?? null));
    this.scene.draw(this.view, this);
    this.captions.draw(false);
  }

  /** @param {{over?: string | null, wait?: {ms: number | null, away: string[]}}} message */
  #readMessage({ over = null, wait = null }) {
    this.over = over !== null;
    this.away = wait?.away ?? [];
  }

  async resume(views) {
    this.view = views.at(-1) ?? null;
    this.captions.forgetNews();
  }

  /** Cancels the drag of a card that is no longer in the hand. */
  #cancelDragOfMissingCard() {
    const lifted = this.root.querySelector("[data-lifted]");
    if (lifted && !this.view.hand.includes(lifted.dataset.place)) this.gestures.cancel();
  }

  #drawCommands() {
    const { game, parts, view } = this;
    const { analysing } = view;
    const isOffered = {
      ...{ "pick-up": true, offer: game.draw_offers && !analysing, claim: game.claims, resign: !analysing },
      consult: (game.hints || analysing) && view.robots.length > 0,
      ...{ "back-up": analysing, pass: analysing, setup: analysing },
    };
    const isAnswerNeeded = !this.over && Boolean(view.asked) && view.may.includes("accept");
    parts.answers.hidden = !isAnswerNeeded;
    for (const [id, isOfferedNow] of Object.entries(isOffered)) {
      const button = parts[id];
      button.hidden = !isOfferedNow || isAnswerNeeded;
      const isPossible = this.isLive && (id === "resign" || view.may.includes(ACTIONS[id]));
      button.setAttribute("aria-disabled", String(!isPossible));
    }
    parts["pick-up"].toggleAttribute("data-advised", view.advice?.move === "pick up");
  }

  goalCards() {
    return [...this.parts.stack.querySelectorAll(".card")].slice(-1);
  }

  // Gestures and keys.

  /** Any card of the hand can be dragged; the server explains a refusal. */
  canDrag(at) {
    if (at === this.parts.table) return false;
    const mayPlay = !isOthersTurn(this.view) && !this.view.asked;
    if (!mayPlay) this.#play(at.dataset.place);
    return mayPlay;
  }

  lift(at) {
    this.onTrace(`lift ${at.dataset.place}`);
  }

  targets() {
    return [this.parts.table];
  }

  decisionPoint(_view, action) {
    return /^(resign|mark|log)/.test(action) ? null : this.movesAtOwnTurn; // these hold in any position
  }

  placeOf(action) {
    const [verb, card] = action.split(" ");
    return { play: this.root.querySelector(`[data-place="${card}"]`), pick: this.parts.table }[verb];
  }

  drop(from, to) {
    if (to === this.parts.table) return this.act(`play ${from.dataset.place}`);
    this.onNote(this.words.drop_where);
    return false;
  }

  press(at) {
    if (at === this.parts.table) this.onNote(this.words.how_to_play);
    else this.#play(at.dataset.place);
  }

  #play(card) {
    const { sentences, view } = this;
    if (isOthersTurn(this.view) ? !view.ended : !view.asked) this.act(`play ${card}`);
    else this.onNote(sentences.reasonAgainst(view, "card"));
  }

  command(id) {
    const { leave, stay } = this.parts;
    if (id === "window") this.commandLine.toggleWindow();
    else if (id === "stay") leave.close();
    else if (id === "leave-now") {
      leave.close();
      this.act("resign", false);
    } else if (id === "resign") {
      if (!this.isLive || this.parts.resign.hidden) return;
      leave.showModal();
      stay.focus(); // so that a repeated key does not resign
    } else if (ACTIONS[id]) this.#executeButton(id);
  }

  /** Executes a button's command or shows why it is impossible now; out of turn, the server answers. */
  #executeButton(id) {
    if (!this.isLive) return;
    if (this.view.may.includes(ACTIONS[id]) || (isOthersTurn(this.view) && !this.view.ended)) this.act(ACTIONS[id]);
    else this.onNote(this.sentences.reasonAgainst(this.view, id));
  }

  key(key, event) {
    const { altKey, ctrlKey, metaKey, target } = event;
    if (altKey || ctrlKey || metaKey || target.closest("input, textarea, select")) return false;
    if (document.querySelector("dialog[open]")) return false;
    if (event.key.startsWith("Arrow")) return this.focus.handleArrow(event);
    if (event.key === "!") return this.commandLine.focusWith("!");
    if (!this.isLive) return false;
    const at = this.root.contains(target) && target.closest("button[data-place]");
    if (at && (event.key === "Enter" || event.key === " ")) {
      if (!event.repeat) this.press(at);
    } else if (event.key === "?") this.onNote(this.sentences.possibleMovesText(this.view));
    else if (key === "H") this.#toggleOption("mark", this.view.marks);
    else if (KEYS[key] && this.#isButtonShown(KEYS[key])) this.command(KEYS[key]);
    else return false;
    return true;
  }

  /** Switches a display option on or off, on any turn. */
  #toggleOption(option, isOn) {
    this.act(`${option} ${isOn ? "off" : "on"}`, false);
  }

  #isButtonShown(id) {
    const isAnswer = id === "accept" || id === "decline";
    return isAnswer ? !this.parts.answers.hidden : !this.parts[id].hidden;
  }

  // Typed commands.

  /** Executes a command by its name in cardlab/games/challenge/commands.py. */
  #executeTyped(command) {
    const { sentences, view, words } = this;
    if (command === "may") this.onNote(sentences.possibleMovesText(view));
    else if (command === "window") this.commandLine.toggleWindow();
    else if (command === "instructions") this.#openRules();
    else if (command === "next") this.next();
    else if (command === "mark") this.#toggleOption("mark", view.marks);
    else if (command === "log") this.#toggleOption("log", view.logged);
    else if (command === "resign") this.command("resign");
    else if (command === "setup" || command === "back" || command === "pass") {
      if (view.analysing) this.act(command);
      else this.onNote(words.only_in_analysis);
    } else this.act(command); // the server explains a refusal
  }

  #openRules() {
    const button = document.querySelector(".reference-buttons [data-opens=rules]");
    if (button) button.click();
    else this.onNote(this.words.no_rules);
  }

  /** Continues to the next game, if the page can. */
  next() {
    const button = [...document.querySelectorAll(".otree-btn-next")].find((next) => next.checkVisibility());
    if (button && (this.view.analysing || this.over)) button.click();
    else this.onNote(this.words.next_when_over);
  }
}
