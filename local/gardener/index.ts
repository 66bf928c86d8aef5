export { type Gardener, type GardenerOptions, startGardener } from "./gardener.ts";
export { landscapeOf } from "./landscape.ts";
export type { Failure, Timings } from "./timeline.ts";
