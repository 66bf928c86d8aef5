/**
 * `fuzz-store-kills.ts [--inputs N] [--seed N]`: N histories of concurrent clients whose durable API server is killed, each
 * checked against the model: one order of all requests that agrees with real time, the watch, and what the kill left.
 */
import { parseArgs } from "node:util";
import { historyProblems, recordHistories, SeededRandom } from "../testing/index.ts";

const perKill = 100;
const { values } = parseArgs({
  options: { inputs: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
});
const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
const random = new SeededRandom(seed);
const total = { histories: 0, operations: 0, unanswered: 0, events: 0, kills: 0 };

while (total.histories < inputs) {
  const histories = Math.min(perKill, inputs - total.histories);
  const options = { histories, seed: seed + total.histories, killAfterLines: 500 + random.below(histories * 80) };
  for (const history of await recordHistories(options)) {
    const problems = historyProblems(history);
    if (problems.length > 0) throw new Error(`${JSON.stringify(options)}: ${problems.join("\n")}`);
    total.histories += 1;
    total.operations += history.operations.length;
    total.unanswered += history.operations.filter(({ answered }) => answered === undefined).length;
    total.events += history.watched.length;
  }
  total.kills += 1;
}
const { histories, operations, unanswered, events, kills } = total;
console.log(
  `${histories} histories, ${kills} kills, ${operations} requests (${unanswered} without an answer), ${events} events`,
);
