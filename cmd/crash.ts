import { redact } from "@kyma-operators/errors";

/**
 * Ends the process on an error that nobody has caught, as Node.js does by itself, but shows neither the fields of the
 * error nor credentials in its texts.
 *
 * @param tell - writes at once: the process ends when it returns.
 */
export function endOnCrash(tell: (text: string) => void): void {
  process.on("uncaughtException", (error: unknown, origin) => {
    tell(`${origin}: ${redact(stacksOf(error))}`);
    process.exit(1);
  });
}

function stacksOf(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${stacksOf(error.cause)}`;
}
