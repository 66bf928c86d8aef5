/** What differs from run to run, as it is written in guides (looked for at one place) and as it may be printed. */
const varying: readonly (readonly [shown: RegExp, printed: string])[] = [
  [/…/y, ".*"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/y, "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"],
  [/127\.0\.0\.1:\d+/y, "127\\.0\\.0\\.1:\\d+"],
  [/-\d{6,}\b/y, "-\\d{6,}"],
  [/(?<![\w.-])(?:\d+(?:\.\d+)?(?:ms|[smhd]))+(?![\w.-])/y, "(?:\\d+(?:\\.\\d+)?(?:ms|[smhd]))+"],
  [/(?<![\w.-])\d+ (?:ms|s)\b/y, "\\d+ (?:ms|s)"],
  [/\s+/y, "\\s+"],
];

/**
 * The first shown line that was not printed, in the order shown; other lines may stand between. Spaces, ages, times,
 * ports and long numbers in names are any; `…` stands for any text.
 */
export function missingLine(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.split("\n").map((line) => line.trim());
  let next = 0;
  for (const line of shown.map((text) => text.trim()).filter((text) => text !== "")) {
    const wanted = patternOf(line);
    const found = lines.findIndex((candidate, index) => index >= next && wanted.test(candidate));
    if (found === -1) return line;
    next = found + 1;
  }
  return undefined;
}

function patternOf(line: string): RegExp {
  let pattern = "";
  for (let at = 0; at < line.length; ) {
    const rule = varying.map(([shown, printed]) => [matchAt(shown, line, at), printed] as const).find(([m]) => m > 0);
    const [length, text] = rule ?? [1, (line[at] ?? "").replace(/[\\^$.*+?()[\]{}|]/, "\\$&")];
    pattern += text;
    at += length;
  }
  return new RegExp(`^${pattern}$`);
}

/** How many characters match at this place; look-behinds see what stands before it. */
function matchAt(sticky: RegExp, line: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.exec(line)?.[0].length ?? 0;
}
