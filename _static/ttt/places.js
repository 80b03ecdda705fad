/** The places of the board of Target the Two, by their keepers and by the moves that lead there. */

export const KEEPER_AT = { Ck: "ck", Nk: "nk" };
export const PLACE_OF = { ck: "Ck", nk: "Nk" };
export const MOVE_TO = { UP: "U", C: "C", N: "N", T: "T" };
export const PLACE_FOR = { U: "UP", C: "C", N: "N", T: "T" };

/** The selector of a place and its name, for the spotlight of the instructions. */
export const placeSelector = (place) => `[data-place=${place}], [data-place=${place}] ~ .label b`;

/** The other keeper; with two players, the partner's. */
export const otherKeeper = (keeper) => (keeper === "ck" ? "nk" : "ck");
