import { helm } from "../errors.ts";
import { functionsFor } from "../functions/index.ts";
import { defaultLimits } from "../limits.ts";
import { systemNow } from "../system-clock.ts";
import { ExecError } from "../template/errors.ts";
import { parseText, TemplateSet } from "../template/set.ts";
import { Output, State } from "../template/state.ts";
import { ParseError } from "../template/tokens.ts";
import type { Compat } from "../version.ts";
import { RenderRuntime } from "./runtime.ts";

const templateName = "name-template";

/** Makes a release name from a template, as `--name-template` does. Throws `HELM_VALUES`. */
export function renderName(source: string, compat: Compat = 4): string {
  const functions = functionsFor(compat);
  const runtime = new RenderRuntime({
    chart: templateName,
    limits: defaultLimits,
    strict: false,
    functions,
    lookup: () => new Map(),
    now: systemNow,
    zone: "UTC",
    crypto: false,
    compat,
    texts: new Map(),
  });
  try {
    const set = new TemplateSet();
    const text = parseText({ file: templateName, source }, functions, () => runtime.step());
    const program = set.add(text, templateName);
    const out = new Output(runtime);
    program.body.exec(new State({ runtime, programs: set, program, out, dot: undefined }), undefined);
    return out.text;
  } catch (error) {
    if (error instanceof ParseError || error instanceof ExecError) throw helm.VALUES({ text: error.message });
    throw error;
  }
}
