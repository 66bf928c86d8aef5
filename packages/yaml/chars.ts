/** Character tests of the scanner. Codes are UTF-16 units; NaN stands for the end of the text. */

export const isSpaceOrTab = (code: number): boolean => code === 0x20 || code === 0x09;

export function isBreak(code: number): boolean {
  if (code > 0x0d) return code === 0x85 || code === 0x2028 || code === 0x2029;
  return code === 0x0a || code === 0x0d;
}

export const isEnd = (code: number): boolean => Number.isNaN(code);

/** White space, a line break or the end. */
export function isBlankOrEnd(code: number): boolean {
  // The comparison is false for NaN, too.
  if (code > 0x20) return code === 0x85 || code === 0x2028 || code === 0x2029;
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || Number.isNaN(code);
}

export const isBreakOrEnd = (code: number): boolean => isBreak(code) || Number.isNaN(code);

/** Characters that Go's reader refuses wherever they stand. */
const control = /[\ufffe\uffff\ud800-\udfff]|[^\t\n\r -~\u0085\u00a0-\uffff]/g;

/** Offset of the first character that may not be in a YAML text, or -1. */
export function findControl(text: string): number {
  control.lastIndex = 0;
  for (let match = control.exec(text); match !== null; match = control.exec(text)) {
    const code = text.codePointAt(match.index) ?? 0;
    if (code <= 0xffff) return match.index;
    // A pair: the second half is no character of its own.
    control.lastIndex = match.index + 2;
  }
  return -1;
}
