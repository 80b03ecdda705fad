/** Reads a line of JSON per question, [game, view, action, options], and writes what the game predicts, a line each. */

import { createInterface } from "node:readline";

const games = {};
for await (const line of createInterface({ input: process.stdin })) {
  const [game, ...question] = JSON.parse(line);
  games[game] ??= await import(`../../_static/${game}/predict.js`);
  process.stdout.write(`${JSON.stringify(games[game].predict(...question))}\n`);
}
