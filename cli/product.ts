import manifest from "../package.json" with { type: "json" };

/** The version of the suite: one number for the image, the command line and the built-in manifests. */
export const version: string = manifest.version;
