/**
 * `fuzz-store-kills.ts [--inputs N] [--seed N]`: N histories of concurrent clients whose durable API server is killed twice, each
 * checked against the model: one order of all requests that agrees with real time, the watch, and what each kill left.
 */
import { parseArgs } from "node:util";
import { historyProblems, recordHistories, SeededRandom } from "../testing/index.ts";

const perRun = 100;
const lives = 2;
const { values } = parseArgs({
  options: { inputs: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
});
const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
const random = new SeededRandom(seed);
const total = { histories: 0, operations: 0, unanswered: 0, events: 0, kills: 0 };

while (total.histories < inputs) {
  const histories = Math.min(perRun, inputs - total.histories);
  const killAfterLines = Array.from({ length: lives }, () => 500 + random.below(histories * 40));
  const options = { histories, seed: seed + total.histories, killAfterLines };
  for (const history of await recordHistories(options)) {
    const problems = historyProblems(history);
    if (problems.length > 0) throw new Error(`${JSON.stringify(options)}: ${problems.join("\n")}`);
    total.histories += 1;
    const operations = history.flatMap((life) => life.operations);
    total.operations += operations.length;
    total.unanswered += operations.filter(({ answered }) => answered === undefined).length;
    total.events += history.flatMap(({ watched }) => watched).length;
  }
  total.kills += lives;
}
const { histories, operations, unanswered, events, kills } = total;
console.log(
  `${histories} histories, ${kills} kills, ${operations} requests (${unanswered} without an answer), ${events} events`,
);
