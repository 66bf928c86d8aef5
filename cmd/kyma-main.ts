import { systemClock } from "@kyma-operators/kube";
import { runCli } from "../cli/run.ts";
import { systemFiles } from "../cli/system-files.ts";

const interrupt = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => interrupt.abort(new Error(`interrupted by ${name}`)));
}

// A closed pipe (`kyma … | head`) is the reader's choice, not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: { isTTY: Boolean(process.stdout.isTTY), write: (text) => void process.stdout.write(text) },
  stderr: { isTTY: Boolean(process.stderr.isTTY), write: (text) => void process.stderr.write(text) },
  env: process.env,
  cwd: process.cwd(),
  files: systemFiles(process.cwd()),
  clock: systemClock,
  signal: interrupt.signal,
  stdin: readStdin,
});
