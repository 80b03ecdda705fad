/** The page on which a game that is over is taken apart: no result, and one goes on when one likes. */

import { atHand } from "../cardlab/at_hand.js";
import { connect } from "../cardlab/table.js";
import { Board } from "./board.js";

connect(Board, () => {});
atHand(() => {}); // no game is played: nobody asks when the rules were read
