import { matchGlob, parseGlob } from "../chart/glob.ts";
import type { Rendered } from "../engine/render.ts";
import { helm } from "../errors.ts";
import { trimSpace } from "../go/space.ts";
import type { Hook } from "./documents.ts";
import { splitDocuments } from "./split.ts";

/** What to print of a rendered chart. */
export interface PrintOptions {
  readonly includeCrds?: boolean;
  readonly noHooks?: boolean;
  /** Leaves out hooks of the event `test`. */
  readonly skipTests?: boolean;
}

const block = (source: string, text: string): string => `---\n# Source: ${source}\n${text}\n`;

/** The hooks that are printed. */
export function shownHooks(rendered: Rendered, options: PrintOptions): readonly Hook[] {
  if (options.noHooks === true) return [];
  return rendered.hooks.filter((hook) => options.skipTests !== true || !hook.events.includes("test"));
}

/** The standard output of `helm template`. */
export function formatRendered(rendered: Rendered, options: PrintOptions = {}): string {
  const crds = options.includeCrds === true ? rendered.crds.map(({ source, text }) => block(source, text)) : [];
  const documents = rendered.documents.map(({ source, text }) => block(source, text));
  const hooks = shownHooks(rendered, options).map(({ source, text }) => block(source, text));
  return `${trimSpace([...crds, ...documents].join(""))}\n${hooks.join("")}`;
}

/**
 * What `--show-only` leaves of an output: for each pattern in turn the documents of the files it matches.
 * Throws `HELM_RENDER` for a pattern that matches none.
 */
export function selectDocuments(output: string, patterns: readonly string[]): string {
  const documents = splitDocuments(output).map((text) => ({ text, file: /# Source: [^/\n]+\/(.+)/.exec(text)?.[1] }));
  return patterns
    .flatMap((pattern) => {
      const glob = parseGlob(pattern);
      const found = documents.filter(({ file }) => glob !== undefined && file !== undefined && matchGlob(glob, file));
      if (found.length === 0) throw helm.RENDER({ text: `could not find template ${pattern} in chart` });
      return found.map(({ text }) => `---\n${text}\n`);
    })
    .join("");
}
