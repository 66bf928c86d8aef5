/** Columns aligned like kubectl's: three blanks between, no trailing blanks, one line per row. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return formatRows([header, ...rows]);
}

/** {@link formatTable} without a header; the first row says how many columns there are. */
export function formatRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** A line no longer than a terminal is wide: one that wraps would be drawn over only in part. */
export function fitting(line: string, { columns }: { readonly columns?: number | undefined }): string {
  const limit = columns || defaultColumns; // a terminal may say 0
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

const defaultColumns = 80;

/** A duration as kubectl prints an age: `45s`, `3m20s`, `5h`, `12d`. */
export function formatAge(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
