/** Writes milliseconds as Go prints a duration: `5m0s`, `1.5s`, `20ms`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1000) return `${decimal(ms)}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${decimal((ms % 60_000) / 1000)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

function decimal(value: number): string {
  return String(Math.round(value * 1e9) / 1e9);
}
