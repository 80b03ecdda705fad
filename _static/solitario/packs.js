/** The packs of Italian and French cards. */

const OF_BRISCOLA = ["1", "2", "3", "4", "5", "6", "7", "V", "C", "R"];
const OF_TAROCCO = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "C", "D", "R"];
const OF_FRENCH = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** The packs by how many cards they have. */
const PACKS = {
  40: { ranks: OF_BRISCOLA, suits: "sbcd" },
  52: { ranks: OF_FRENCH, suits: "SCHD" },
  56: { ranks: OF_TAROCCO, suits: "sbcd" },
};

export const packOf = ({ cards }) => PACKS[cards];
