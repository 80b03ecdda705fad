/** The page on which a game that is over is taken apart: no result, and one goes on when one likes. */

import { connectDrawers } from "../cardlab/drawers.js";
import { connect } from "../cardlab/board_connection.js";
import { Board } from "./board.js";

connect(Board, () => {});
connectDrawers(() => {}); // no game is played: nobody asks when the rules were read
