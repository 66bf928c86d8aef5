export { addRegistryCacheController, type RegistryCacheControllerOptions } from "./controller.ts";
