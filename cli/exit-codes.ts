import type { exitCodes } from "./command.ts";

/** What an exit code tells a script, and a person. */
export interface ExitCodeText {
  readonly name: keyof typeof exitCodes;
  readonly meaning: string;
  readonly next: string;
}

/** Every exit code, for docs/reference/exit-codes.md. */
export const exitCodeTexts: readonly ExitCodeText[] = [
  { name: "ok", meaning: "done", next: "" },
  { name: "error", meaning: "error; standard error says what and where", next: "correct what the text names" },
  {
    name: "warning",
    meaning: "done, but something is in state Warning; of the `status` commands: something is not Ready",
    next: "`kyma status` shows the reasons",
  },
  {
    name: "timeout",
    meaning: "the client-side timeout passed; the cluster goes on working",
    next: "attach again, or wait longer with `--timeout`",
  },
  {
    name: "refused",
    meaning: "refused: invalid usage, or a runtime that is managed by somebody else",
    next: "`--help`, or `--force` where the text offers it",
  },
  {
    name: "unreachable",
    meaning: "the cluster could not be reached",
    next: "check `--kubeconfig` and `--context`",
  },
  { name: "interrupted", meaning: "interrupted; the cluster goes on working", next: "run what the text names" },
];
