/**
 * The names that a mistyped one probably meant, the nearest first: at most `count`, and none that differs in more than
 * a third of its letters. Distance: optimal string alignment (insert, delete, replace, swap of neighbours).
 */
export function nearestNames(name: string, known: readonly string[], count = 3): readonly string[] {
  const short = name.slice(0, 64);
  return known
    .map((candidate) => ({ candidate, distance: editDistance(short, candidate.slice(0, 64)) }))
    .filter(
      ({ candidate, distance }) => distance <= Math.max(1, Math.floor(Math.max(short.length, candidate.length) / 3)),
    )
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cell(a, b, [i, j], { row, last, beforeLast }));
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

interface Rows {
  readonly row: readonly number[];
  readonly last: readonly number[];
  readonly beforeLast: readonly number[];
}

function cell(a: string, b: string, [i, j]: readonly [number, number], { row, last, beforeLast }: Rows): number {
  const cost = a[i - 1] === b[j - 1] ? 0 : 1;
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  const swap = swapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
  return Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swap);
}
