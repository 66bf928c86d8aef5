import { Command } from "commander";
import { nearestNames } from "../modules/nearest.ts";
import { ExitCode, exitCodes } from "./command.ts";
import errorCodes from "./generated/error-codes.json" with { type: "json" };
import type { Io } from "./io.ts";
import { type OutputFormat, outputOption, printAs } from "./output.ts";
import { formatRows, formatTable } from "./table.ts";

/** `kyma explain-error`: one code, or a list of all; the keys are a contract of `-o json`. */
interface ErrorCode {
  readonly code: string;
  /** `backoff`, `on-change` or `never`. */
  readonly retry: string;
  readonly meaning: string;
}

const codes: readonly ErrorCode[] = errorCodes;

const advice: Readonly<Record<string, string>> = {
  backoff: "It may pass by itself: it is tried again with growing pauses. If it stays, look at what the text names.",
  "on-change": "Trying again does not help: change the object, or what it refers to.",
  never: "The input itself is wrong and is not used again: replace it.",
};

/** `kyma explain-error [CODE] [-o text|json|yaml]` */
export function command(io: Io): Command {
  return new Command()
    .description("Say what an error code means and what to do about it.")
    .argument("[code]", "for example OCI_DIGEST_MISMATCH; none lists all")
    .addOption(outputOption())
    .action((code: string | undefined, { output }: { output: OutputFormat }) => {
      if (code === undefined) {
        printAs(io, output, codes, () => formatTable(["CODE", "MEANING"], codes.map(rowOf)));
        return;
      }
      const found = codes.find((candidate) => candidate.code === code.toUpperCase());
      if (found === undefined) throw unknownCode(code);
      printAs(io, output, found, () => `${found.code}\n\n${found.meaning}\n\n${advice[found.retry] ?? ""}\n`);
    });
}

function rowOf({ code, meaning }: ErrorCode): readonly string[] {
  return [code, meaning];
}

const offered = 5;

function unknownCode(text: string): ExitCode {
  const word = text.toUpperCase();
  const known = codes.map(({ code }) => code);
  const near = new Set([...nearestNames(word, known, offered), ...known.filter((code) => code.includes(word))]);
  const shown = [...near].slice(0, offered);
  const rows = shown.flatMap((code) => codes.filter((entry) => entry.code === code)).map(rowOf);
  const hint =
    rows.length === 0
      ? ': "kyma explain-error" alone lists all codes'
      : `; did you mean one of these?\n${formatRows(rows.map((row) => ["", ...row])).trimEnd()}`;
  return new ExitCode(exitCodes.error, `unknown error code ${text}${hint}`);
}
