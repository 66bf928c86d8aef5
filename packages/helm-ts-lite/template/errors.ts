/** An error of a function itself, in Go's words; the caller adds where it happened. */
export class GoError extends Error {
  override readonly name = "GoError";
}

/** What `required` and `fail` raise: shown without the chain of calls. */
export class UserError extends GoError {}

/** A failure of evaluation: where, what was being evaluated, and what went wrong. */
export class ExecError extends Error {
  override readonly name = "ExecError";
  /** `FILE:LINE:COLUMN`. */
  readonly location: string;

  constructor(init: { location: string; template: string; context: string; reason: string; cause?: unknown }) {
    const suffix = init.cause instanceof Error ? init.cause.message : "";
    const { location, template, context, reason } = init;
    super(
      `template: ${location}: executing ${JSON.stringify(template)} at <${context}>: ${reason}${suffix}`,
      init.cause === undefined ? undefined : { cause: init.cause },
    );
    this.location = location;
  }
}

/** One step of a chain of failures, as helm 4 lists them. */
interface Step {
  readonly location: string;
  readonly executing: string;
  readonly message: string;
}

const executingMark = ": executing ";

function executingStep(rest: string): Step | undefined {
  const at = rest.indexOf(executingMark);
  const match = /^"([^"]*)" at <([\s\S]*?)>: ([\s\S]*)$/.exec(rest.slice(at + executingMark.length));
  if (at < 0 || match === null) return undefined;
  const [, template = "", context = "", message = ""] = match;
  const next = message.indexOf(" template:");
  return {
    location: rest.slice(0, at),
    executing: `executing "${template}" at <${context}>:`,
    message: next < 0 ? message : message.slice(0, next),
  };
}

/** Reads one error text back into a step; undefined when it is no template error. */
function stepOf(text: string): Step | undefined {
  const prefix = "template: ";
  if (!text.startsWith(prefix)) return undefined;
  const rest = text.slice(prefix.length);
  if (rest.startsWith("no template ")) return { location: "", executing: "", message: text };
  const step = executingStep(rest);
  if (step !== undefined) return step;
  const colon = rest.lastIndexOf(": ");
  return colon < 0 ? undefined : { location: rest.slice(0, colon), executing: "", message: rest.slice(colon + 2) };
}

function stepText(step: Step): string {
  const location = step.location === "" ? "" : `${step.location}\n  `;
  const executing = step.executing === "" ? "" : `${step.executing}\n    `;
  return `${location}${executing}${step.message === "" ? "" : `${step.message}\n`}`;
}

function chainOf(error: Error): Error[] {
  const chain: Error[] = [];
  for (let current: unknown = error; current instanceof Error; current = current.cause) chain.push(current);
  return chain;
}

/** The user's own message when `required` or `fail` lies at the bottom of the chain. */
function userMessage(error: ExecError): string | undefined {
  const last = chainOf(error).find((link) => link instanceof UserError);
  return last === undefined ? undefined : `execution error at (${error.location}): ${last.message}`;
}

/** The text of a failed evaluation as helm 4 shows it: one block per call, or one line when a function failed. */
export function describeExecError(error: ExecError): string {
  const user = userMessage(error);
  if (user !== undefined) return user;
  const texts: string[] = [];
  for (const link of chainOf(error)) {
    const step = stepOf(link.message);
    if (step === undefined) return error.message;
    const text = stepText(step);
    if (texts.at(-1) !== text) texts.push(text);
  }
  return texts.join("").trim();
}

/** The text of a failed evaluation as helm 3 shows it. */
export function describeExecError3(error: ExecError): string {
  return userMessage(error) ?? error.message;
}
