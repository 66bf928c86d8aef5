import type { Chart } from "../chart/types.ts";
import { helm } from "../errors.ts";
import { functionsFor } from "../functions/index.ts";
import { parseText, TemplateSet } from "../template/set.ts";
import type { ParsedText } from "../template/state.ts";
import { ParseError } from "../template/tokens.ts";
import type { Compat } from "../version.ts";
import type { Renderable } from "./templates.ts";

/** The compiled texts of one chart: of its files and of `tpl`. */
export interface CompiledTexts {
  /** By the text, which charts with the same helpers have in common; a long one by its path. */
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

/** V8 tells longer strings apart only by comparing them, so looking up many of one length would take for ever. */
const longestShared = 16_000;

interface Compiling {
  readonly chart: Chart;
  readonly compat: Compat;
  readonly maxTokens: number;
}

function parsedFile({ path, source }: Renderable, { chart, compat, maxTokens }: Compiling): ParsedText {
  const compiled = compiledTexts(chart, compat);
  const key = source.length > longestShared ? path : source;
  const known = compiled.files.get(key);
  if (known?.source === source) return known.parsed;
  // Only what is kept counts on: a file that fails is read again by the next render.
  let { tokens } = compiled;
  const onToken = (): void => {
    if (++tokens <= maxTokens) return;
    throw helm.LIMIT({ chart: chart.metadata.name, limit: "maxTokens", max: maxTokens, place: path });
  };
  const parsed = parseText({ file: path, source }, functionsFor(compat), onToken);
  compiled.files.set(key, { source, parsed });
  compiled.tokens = tokens;
  return parsed;
}

function renderError({ file, line, reason }: ParseError): Error {
  const colon = reason.lastIndexOf(": ");
  return helm.RENDER({ text: `parse error at (${file}:${line}): ${colon < 0 ? reason : reason.slice(colon + 2)}` });
}

/** Compiles templates, in the order in which later definitions win. Throws `HELM_RENDER` for the first that fails, `HELM_LIMIT`. */
export function compileTemplates(templates: readonly Renderable[], compiling: Compiling): TemplateSet {
  const set = new TemplateSet();
  try {
    for (const template of templates) set.add(parsedFile(template, compiling), template.path);
  } catch (error) {
    throw error instanceof ParseError ? renderError(error) : error;
  }
  return set;
}
