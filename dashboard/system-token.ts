import { readFile } from "node:fs/promises";
import { Secret } from "@kyma-operators/errors";
import { dashboardErrors } from "./errors.ts";

const shortest = 16;
const longest = 4096;

/** The token in a file, without blanks around it. Throws `DASHBOARD_TOKEN_FILE`. */
export async function readToken(path: string): Promise<Secret> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw dashboardErrors.TOKEN_FILE({ path, problem: "cannot be read" }, error);
  });
  const token = text.trim();
  if (token.length < shortest || token.length > longest || /\s/.test(token)) {
    const problem = `expected one token of ${shortest} to ${longest} characters, found ${token.length}`;
    throw dashboardErrors.TOKEN_FILE({ path, problem });
  }
  return new Secret(token);
}
