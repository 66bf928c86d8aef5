export { addGardenerClusterController } from "./controller.ts";
export type { GardenerClusterControllerOptions } from "./options.ts";
export type { RotationSettings } from "./rotation.ts";
