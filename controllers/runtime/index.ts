export { addRuntimeController } from "./controller.ts";
export { LandscapeFiles, type LandscapePaths } from "./landscape-files.ts";
export type { Landscape, RemoteClients, RuntimeControllerOptions } from "./options.ts";
