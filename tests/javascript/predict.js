/** Reads lines of JSON, each [game, view, action, options], and writes the game's prediction for each as a line. */

import { createInterface } from "node:readline";

const games = {};
for await (const line of createInterface({ input: process.stdin })) {
  const [game, ...question] = JSON.parse(line);
  games[game] ??= await import(`../../_static/${game}/predict.js`);
  process.stdout.write(`${JSON.stringify(games[game].predict(...question))}\n`);
}
