/** The packs of Italian and French cards. */

const BRISCOLA_RANKS = ["1", "2", "3", "4", "5", "6", "7", "V", "C", "R"];
const TAROCCO_RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "C", "D", "R"];
const FRENCH_RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** The packs by how many cards they have. */
const PACKS = {
  40: { ranks: BRISCOLA_RANKS, suits: "sbcd" },
  52: { ranks: FRENCH_RANKS, suits: "SCHD" },
  56: { ranks: TAROCCO_RANKS, suits: "sbcd" },
};

export const packOf = ({ cards }) => PACKS[cards];
