/** The system's time in milliseconds since the Unix epoch. */
export function systemNow(): number {
  return Date.now();
}
