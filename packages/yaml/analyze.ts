import { resolveYaml11 } from "./scalars.ts";

/** The styles a text may be written in. */
export type ScalarStyle = "plain" | "single" | "double" | "literal";

/** Characters that must be escaped: controls, tab, DEL, surrogates, the byte order mark and all beyond U+FFFF. */
export function isPrintable(code: number): boolean {
  if (code < 0x20) return code === 0x0a;
  if (code < 0x7f) return true;
  if (code < 0xa0) return false;
  return code < 0xd800 || (code >= 0xe000 && code < 0xfffe && code !== 0xfeff);
}

const firstIndicators = "#,[]{}&*!|>'\"%@`";

/** True when the text has a character that would end or change a plain scalar in block context. */
function hasIndicator(text: string): boolean {
  if (text.startsWith("---") || text.startsWith("...")) return true;
  if (firstIndicators.includes(text.charAt(0))) return true;
  if (/^[-?:](?:[ \t]|$)/.test(text)) return true;
  return /:(?:[ \t]|$)/.test(text) || /[ \t\n\r\u0085\u2028\u2029]#/.test(text);
}

/** What the characters of a text allow, whatever it means. */
export interface Shape {
  readonly multiline: boolean;
  readonly plain: boolean;
  readonly single: boolean;
  readonly literal: boolean;
}

// The overwhelming majority of scalars: nothing in them can need a quote.
const simple = /^[A-Za-z0-9_/.][A-Za-z0-9_/.-]*$/;

const simpleShape: Shape = { multiline: false, plain: true, single: true, literal: true };
const emptyShape: Shape = { multiline: false, plain: true, single: true, literal: false };

const breaks = "\n\r\u0085\u2028\u2029";
const anyBreak = new RegExp(`[${breaks}]`);
const spaceBreak = new RegExp(` [${breaks}]`);
const breakSpace = new RegExp(`[${breaks}] `);
const edgeSpace = new RegExp(`^[ ${breaks}]|[ ${breaks}]$`);

function hasUnprintable(text: string, tabs: boolean): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (!isPrintable(code) && !(tabs && code === 0x09)) return true;
  }
  return false;
}

const isPlain = (text: string): boolean => !edgeSpace.test(text) && !hasIndicator(text);

/** What a text may be written as; with `tabs` a tab only forbids the plain and single-quoted styles. */
export function shapeOf(text: string, tabs: boolean): Shape {
  if (text === "") return emptyShape;
  if (simple.test(text) && !text.startsWith("...")) return simpleShape;
  const multiline = anyBreak.test(text);
  if (hasUnprintable(text, tabs)) return { multiline, plain: false, single: false, literal: false };
  const blankBeforeBreak = spaceBreak.test(text);
  const single = !blankBeforeBreak && !breakSpace.test(text) && !text.includes("\t");
  const plain = single && !multiline && isPlain(text);
  return { multiline, plain, single, literal: !blankBeforeBreak && !text.endsWith(" ") };
}

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** True when the text, written plain, would be read back as something else than this text. */
export function readsAsOther(text: string): boolean {
  const { kind } = resolveYaml11(text);
  return (kind !== "text" && kind !== "merge") || base60.test(text);
}
