export { addRuntimeController } from "./controller.ts";
export { LandscapeFiles, type LandscapePaths } from "./landscape-files.ts";
export type { Landscape, RemoteClients, RuntimeControllerOptions } from "./options.ts";
export { CloudProfiles } from "./webhook/profiles.ts";
export { serveRuntimeWebhook, type WebhookOptions, type WebhookServer, webhookPath } from "./webhook/server.ts";
