import type { Story } from "../testing/index.ts";

/** Stories for the long simulation, by name. Loaded when they are played. */
export const stories: Readonly<Record<string, () => Promise<Story>>> = {
  sample: async () => (await import("../testing/index.ts")).sampleStory,
};
