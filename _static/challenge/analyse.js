/** The page to review a finished game. It shows no result and never ends. */

import { connectDrawers } from "../cardlab/drawers.js";
import { connect } from "../cardlab/board_connection.js";
import { Board } from "./board.js";

connect(Board, () => {});
connectDrawers(() => {}); // a review has no record of opened drawers
