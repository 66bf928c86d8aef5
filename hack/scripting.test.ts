import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { commands } from "../cli/commands.ts";
import { commandsIn } from "./pages/cli.ts";
import { allContracts, contractsIn, dataOf, dataOption } from "./pages/scripting.ts";

describe("the page about output for scripts", () => {
  test("says of every command with a form for scripts what it prints", async () => {
    const contracts = allContracts();
    const names = (await commandsIn(["kyma"], { commands })).filter(dataOption).map((command) => command.name());
    ok(names.includes("kyma version") && names.includes("kyma module push"));
    for (const name of names) ok(dataOf(name, contracts) !== "", name);
    const unknown = contracts.flatMap((each) => each.commands).filter((name) => !names.includes(name));
    deepEqual(unknown, []);
  });

  test("takes a comment of several lines, and all commands that it names", () => {
    const text = `/**
 * \`kyma a b|c\`, \`kyma d\`: something long; the keys are a contract
 * of \`-o json\`.
 */
interface Thing extends Other {
  readonly key: string;
}
`;
    deepEqual(contractsIn(text, "x.ts"), [
      {
        name: "Thing",
        says: "`kyma a b|c`, `kyma d`: something long; the keys are a contract of `-o json`.",
        declaration: "interface Thing extends Other {\n  readonly key: string;\n}",
        commands: ["kyma a b", "kyma a c", "kyma d"],
      },
    ]);
  });

  test("refuses a contract that is not on an interface, or names no command", () => {
    const says = (who: string, on: string): string =>
      `/** ${who}: x; the keys are a contract of \`-o json\`. */\n${on} {\n}\n`;
    equal(contractsIn(says("`kyma a`", "interface A"), "x.ts").length, 1);
    throws(() => contractsIn(says("`kyma a`", "const a ="), "x.ts"), /^Error: x\.ts: a contract is/);
    throws(() => contractsIn(says("something", "interface A"), "x.ts"), /^Error: x\.ts: a contract is/);
  });

  test("refuses a command of which nobody says what it prints", () => {
    throws(() => dataOf("kyma new", []), /kyma new prints data: say in a comment/);
  });
});
