/** Texts of the tab "Progress": the cells of each participant's row, and the counts by state. */

/** A participant's name for the researcher. */
export const nameOf = (row) => (row.label ? `${row.label} (P${row.number})` : `P${row.number}`);

const MAX_NAMES = 4; // of missing participants

/** The table's texts for the states of a participant's connection, and for other stages. */
const CONNECTIONS = { here: "connected", away: "other window in front", gone: "disconnected" };
const STAGES = { "not come": "not arrived" };

/** Seconds as `45 s` or `12 min`. */
export function durationText(seconds) {
  if (seconds === null) return "";
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** What a participant does who finds no partner in time, by the setting `no_shows`. */
const THEN = { leave_out: "play no more hands", robot: "play with a robot", leave: "leave the study" };

/** The participants for whom a waiting participant waits, how long, and what is next; "" if they are not waiting. */
function waitingText(row, rows) {
  if (row.waits === null) return "";
  const missing = rows.filter(({ number }) => row.waits_for.includes(number)).sort((a, b) => a.number - b.number);
  const names = missing.map(nameOf);
  const named = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), "others"] : names;
  const who = named.length ? `waiting for ${named.join(", ")}` : "waiting";
  const then = row.waits_left === null ? "" : `; in ${durationText(row.waits_left)}: ${THEN[row.then]}`;
  return `${who} (${durationText(row.waits)}${then})`;
}

/** Why a participant needs attention. */
function needsText(row, rows) {
  const parts = [...row.notices];
  if (row.others_wait && row.connection !== "here") parts.unshift("others are waiting");
  if (row.help) parts.unshift("asks for help");
  if (row.waits !== null) parts.push(waitingText(row, rows));
  if (row.refused) parts.push(row.refused === 1 ? "1 rejected move" : `${row.refused} rejected moves`);
  if (row.unread) parts.push(row.unread === 1 ? "1 message not confirmed" : `${row.unread} messages not confirmed`);
  if (row.paused) parts.push("paused");
  if (row.stage !== "playing") parts.push(STAGES[row.stage] ?? row.stage);
  return parts.join(" · ");
}

/** The cells of a row after the name; functions of the row, and of all rows. */
export const CELLS = [
  (row) => row.treatment,
  (row) => row.group,
  (row) => row.page,
  (row) => row.hand,
  (row) => row.moves ?? "",
  (row) => row.score,
  (row) => row.points,
  (row) => durationText(row.silent),
  (row) => (row.stage === "not come" ? "" : CONNECTIONS[row.connection]),
  needsText,
];
/** The cells that are numbers. */
export const NUMBERS = new Set([4, 5, 6, 7]);

/** The number of participants, in total and in each state. */
export function countsText(rows, unread) {
  const staged = (word) => rows.filter(({ stage }) => stage === word);
  const playing = staged("playing");
  const count = (what, some) => (some.length ? `${some.length} ${what}` : "");
  const parts = [
    rows.length === 1 ? "1 participant" : `${rows.length} participants`,
    count("not arrived", staged("not come")),
    count("playing", playing),
    count("disconnected", playing.filter(({ connection }) => connection === "gone")),
    count("with another window in front", playing.filter(({ connection }) => connection === "away")),
    count("paused", rows.filter(({ paused }) => paused)),
    count("dropped out", staged("dropped out")),
    count("finished", staged("finished")),
    unread ? `${unread} loading` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
