/** A piece of HTML. Only {@link html} makes one, so whatever is in it has been escaped. */
export class Html {
  readonly text: string;

  constructor(parts: TemplateStringsArray, values: readonly HtmlValue[]) {
    this.text = parts.map((part, index) => part + textOf(values[index])).join("");
  }
}

/** What may stand in a template: texts and numbers are escaped, pieces and lists of pieces are taken as they are. */
export type HtmlValue = string | number | Html | readonly Html[] | undefined;

/**
 * Builds HTML from a template. Values are safe as text and inside quoted attributes, the only places where templates
 * of this room have them.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts, values);
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replace(special, (character) => replacements.get(character) ?? "\u{FFFD}");
}

/** Control characters have no place in a page; those of text direction could show a text as another one. */
const special = /[&<>"'\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

const replacements: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["\n", "\n"],
  ["\t", " "],
  ["\r", ""],
]);

/** A text cut to so many characters. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
