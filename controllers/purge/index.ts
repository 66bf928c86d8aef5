export { addPurge } from "./controller.ts";
