/** The texts for two players: whose turn it is, the partner's last move, absence, the turn limit. */

import { TimeAnnouncer } from "../cardlab/time_announcer.js";
import { fill } from "../cardlab/text.js";
import { PLACE_FOR, otherKeeper } from "./places.js";

const HURRY_SECONDS = 10;

export class Captions {
  /**
   * @param {import("./board.js").Board} board
   * @param {object} players
   * @param {string[]} players.robots the seats of robots
   * @param {string} players.changeSentence the sentence before the first move: about a new partner, and the player's own keeper
   */
  constructor({ root, words, onChange }, { robots, changeSentence }) {
    this.root = root;
    this.words = words;
    this.robots = robots;
    this.changeSentence = changeSentence;
    this.announcer = new TimeAnnouncer((seconds) => onChange(fill(words.hurry, { seconds })));
  }

  /** The text of this name about a partner or a robot. */
  textAbout(seat, name) {
    return this.words[`${name}_${this.robots.includes(seat) ? "robot" : "partner"}`];
  }

  /** The name of a keeper's player: "You". */
  playerName(view, seat) {
    if (seat === view.seat) return this.words.name_you;
    return this.words[this.robots.includes(seat) ? "name_robot" : "name_partner"];
  }

  /**
   * Draws the line above the cards.
   * @param {{over: boolean, away: string[]}} status the state besides the view
   */
  draw(view, mover, status) {
    const partner = otherKeeper(view.seat);
    const isAbsent = !status.over && status.away.includes(partner);
    const away = isAbsent ? this.words.away : "";
    const lastMoveText = [this.lastMoveText(view, mover), away].filter(Boolean).join(" ");
    const lines = { "#has-happened": lastMoveText, "#whose-turn": this.turnText(view, status) };
    for (const [at, sentence] of Object.entries(lines)) {
      const line = this.root.querySelector(at);
      if (line.textContent !== sentence) line.textContent = sentence;
    }
  }

  /**
   * The sentence about the last move by the partner or the server; before the first move, about the players; "" after
   * an own move.
   * @param {string | null} mover the keeper that made the last move
   */
  lastMoveText(view, mover) {
    const { words } = this;
    if (mover === null) return view.moves ? "" : this.changeSentence;
    const partner = otherKeeper(view.seat);
    const forYou = view.passed_for === view.seat ? words.passed_for_you : "";
    if (mover !== partner) return forYou;
    if (view.passed_for === partner) return words.passed_for;
    const sentence = this.textAbout(partner, view.last === "P" ? "has_passed" : "exchanged");
    const moveText = fill(sentence, { place: words[`place_${PLACE_FOR[view.last]}`] });
    return [forYou, moveText].filter(Boolean).join(" ");
  }

  /** The sentence about whose turn it is. */
  turnText(view, { over, away }) {
    const { words } = this;
    if (over || view.turn === null) return words.over;
    if (view.turn === view.seat) return words.your_turn;
    const partner = otherKeeper(view.seat);
    return away.includes(partner) ? words.waiting : this.textAbout(partner, "thinking");
  }

  /** Why the participant must wait; "" on their turn. */
  reasonToWait(view) {
    if (view.turn === view.seat) return "";
    return this.textAbout(otherKeeper(view.seat), "wait_for");
  }

  /** @param {string} time the time left; "" without a limit */
  drawDeadline(view, time, seconds) {
    const deadline = this.root.querySelector("#deadline");
    const isOwnTurn = view.turn === view.seat;
    this.announcer.tick(isOwnTurn ? seconds : Infinity);
    if (time) deadline.hidden = false; // never hidden again, so that the layout is stable
    const sentence = isOwnTurn ? this.words.deadline_you : this.words.deadline;
    deadline.textContent = time && fill(sentence, { time });
    deadline.toggleAttribute("data-last-seconds", isOwnTurn && seconds <= HURRY_SECONDS);
  }
}
