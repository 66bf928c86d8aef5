import { Command } from "commander";
import { ExitCode, exitCodes } from "./command.ts";
import codes from "./generated/error-codes.json" with { type: "json" };
import { nearest } from "./help.ts";
import type { Io } from "./io.ts";
import { type OutputFormat, outputOption, printAs } from "./output.ts";

const advice: Readonly<Record<string, string>> = {
  backoff: "It may pass by itself: it is tried again with growing pauses. If it stays, look at what the text names.",
  "on-change": "Trying again does not help: change the object, or what it refers to.",
  never: "The input itself is wrong and is not used again: replace it.",
};

/** `kyma explain-error CODE [-o text|json|yaml]` */
export function command(io: Io): Command {
  return new Command()
    .description("Say what an error code means and what to do about it.")
    .argument("<code>", "for example OCI_DIGEST_MISMATCH")
    .addOption(outputOption())
    .action((code: string, { output }: { output: OutputFormat }) => {
      const found = codes.find((candidate) => candidate.code === code.toUpperCase());
      if (found === undefined) throw unknownCode(code);
      printAs(io, output, found, () => `${found.code}\n\n${found.meaning}\n\n${advice[found.retry] ?? ""}\n`);
    });
}

function unknownCode(code: string): ExitCode {
  const near = nearest(
    code.toUpperCase(),
    codes.map((known) => known.code),
  );
  const hint = near === undefined ? "docs/reference/errors.md lists them all" : `did you mean ${near}?`;
  return new ExitCode(exitCodes.error, `unknown error code ${code}: ${hint}`);
}
