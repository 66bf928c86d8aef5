import type { Chart } from "../chart/types.ts";
import { helm } from "../errors.ts";
import { functionsFor } from "../functions/index.ts";
import { type ParsedText, parseText, TemplateSet } from "../template/set.ts";
import { ParseError } from "../template/tokens.ts";
import type { Compat } from "../version.ts";
import type { Renderable } from "./templates.ts";

/** The compiled texts of one chart: templates by their path, texts of `tpl` by themselves. */
export interface CompiledTexts {
  readonly files: Map<string, { readonly source: string; readonly parsed: ParsedText }>;
  readonly texts: Map<string, ParsedText>;
  /** Tokens of the files so far. */
  tokens: number;
}

// Compiled programs hold no state of a render, so all renders of a chart share them for as long as the chart lives.
const compiledCharts: Readonly<Record<Compat, WeakMap<Chart, CompiledTexts>>> = { 3: new WeakMap(), 4: new WeakMap() };

export function compiledTexts(chart: Chart, compat: Compat): CompiledTexts {
  const known = compiledCharts[compat].get(chart);
  if (known !== undefined) return known;
  const texts: CompiledTexts = { files: new Map(), texts: new Map(), tokens: 0 };
  compiledCharts[compat].set(chart, texts);
  return texts;
}

function parseFile({ path, source }: Renderable, compat: Compat, onToken: () => void): ParsedText {
  try {
    return parseText({ name: path, source }, functionsFor(compat), onToken);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const colon = error.reason.lastIndexOf(": ");
    const reason = colon < 0 ? error.reason : error.reason.slice(colon + 2);
    throw helm.RENDER({ text: `parse error at (${error.file}:${error.line}): ${reason}` });
  }
}

/** Compiles templates, in the order in which later definitions win. Throws `HELM_RENDER` for the first that fails, `HELM_LIMIT`. */
export function compileTemplates(
  chart: Chart,
  templates: readonly Renderable[],
  { compat, maxTokens }: { compat: Compat; maxTokens: number },
): TemplateSet {
  const compiled = compiledTexts(chart, compat);
  const { files } = compiled;
  const set = new TemplateSet();
  for (const template of templates) {
    let known = files.get(template.path);
    if (known?.source !== template.source) {
      // Only what is kept counts on: a file that fails is read again by the next render.
      let { tokens } = compiled;
      const onToken = (): void => {
        if (++tokens > maxTokens) throw helm.LIMIT({ chart: chart.metadata.name, limit: "maxTokens", max: maxTokens });
      };
      known = { source: template.source, parsed: parseFile(template, compat, onToken) };
      files.set(template.path, known);
      compiled.tokens = tokens;
    }
    set.add(known.parsed);
  }
  return set;
}
