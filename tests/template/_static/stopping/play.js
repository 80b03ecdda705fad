/** The hand page of Stop in Time. */

import { play } from "../cardlab/play.js";
import { fill } from "../cardlab/text.js";
import { Board } from "./board.js";

const { words } = window.js_vars;

play(Board, (over, { score }) => fill(over === "completed" ? words.kept : words.ended, { score }));
