import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Folder with the recorded cases: `$CASES`, else `shared` beside the clone. Throws, naming it, when it is absent. */
export const casesDir = resolve(import.meta.dirname, "..", process.env["CASES"] ?? "../shared");

if (!existsSync(casesDir)) throw new Error(`no recorded cases in ${casesDir}; set CASES to the folder that holds them`);
