const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

/** The digit run that starts at `from`, as its length and its value. */
function digitRun(text: readonly string[], from: number, start: number): { end: number; value: number } {
  let value = start;
  let end = from;
  for (let char = text[end]; char !== undefined && digit.test(char); char = text[end]) {
    value = value * 10 + (char.charCodeAt(0) - 48);
    end++;
  }
  return { end, value };
}

/** True when a zero at `at` continues a number that has begun with another digit: then it counts. */
function continuesNumber(text: readonly string[], at: number): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const char = text[index] ?? "";
    if (!digit.test(char)) return false;
    if (char !== "0") return true;
  }
  return false;
}

function compareDigits(a: readonly string[], b: readonly string[], at: number): number {
  const start = (a[at] === "0" || b[at] === "0") && continuesNumber(a, at) ? 1 : 0;
  const x = digitRun(a, at, start);
  const y = digitRun(b, at, start);
  return x.value - y.value || x.end - y.end;
}

function compareAt(a: readonly string[], b: readonly string[], at: number): number {
  const x = a[at] ?? "";
  const y = b[at] ?? "";
  const letterX = letter.test(x);
  if (letterX !== letter.test(y)) return letterX ? 1 : -1;
  const byCode = (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);
  return letterX ? byCode : compareDigits(a, b, at) || byCode;
}

/**
 * The order in which Go's YAML library writes keys: digit runs compare as numbers, a letter sorts
 * after anything that is none, shorter first.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const x = Array.from(a);
  const y = Array.from(b);
  const common = Math.min(x.length, y.length);
  for (let at = 0; at < common; at++) {
    if (x[at] !== y[at]) return compareAt(x, y, at);
  }
  return x.length - y.length;
}
