export type { Clock } from "./clock.ts";
export { systemClock } from "./system-clock.ts";
