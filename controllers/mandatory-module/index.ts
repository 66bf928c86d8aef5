export { addMandatoryModuleControllers } from "./controller.ts";
export type { MandatoryOptions, MandatorySettings } from "./options.ts";
