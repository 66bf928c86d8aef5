/** What `strconv.IsPrint` takes for printable: letters, marks, numbers, punctuation, symbols and the plain blank. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const short: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x0c, "\\f"],
  [0x0a, "\\n"],
  [0x0d, "\\r"],
  [0x09, "\\t"],
  [0x0b, "\\v"],
  [0x5c, "\\\\"],
]);

const hex = (code: number, width: number): string => code.toString(16).padStart(width, "0");

function escapeCode(code: number): string {
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function quoteChar(char: string, mark: string, asciiOnly: boolean): string {
  if (char === mark) return `\\${char}`;
  const code = char.codePointAt(0) ?? 0;
  const known = short.get(code);
  if (known !== undefined) return known;
  const shown = code < 0x7f ? code >= 0x20 : !asciiOnly && printable.test(char);
  return shown ? char : escapeCode(code);
}

const plain = /^[ !#-[\]-~]*$/;

/** Go's `strconv.Quote`; with `asciiOnly` its `QuoteToASCII`. */
export function quote(text: string, asciiOnly = false): string {
  if (plain.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const char of text) quoted += quoteChar(char, '"', asciiOnly);
  return `${quoted}"`;
}

/** Go's `strconv.QuoteRune`. */
export function quoteRune(code: number, asciiOnly = false): string {
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return `'${quoteChar(String.fromCodePoint(valid ? code : 0xfffd), "'", asciiOnly)}'`;
}

/** Whether Go could write the text between backquotes. */
export function canBackquote(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if ((code < 0x20 && code !== 9) || code === 0x60 || code === 0x7f || code === 0xfeff) return false;
    if (code >= 0xd800 && code <= 0xdfff) return false;
  }
  return true;
}

export function isPrintable(char: string): boolean {
  return printable.test(char);
}
