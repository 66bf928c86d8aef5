/** The registry of the local world, for tests that talk to it over HTTP. */
export { startRegistry } from "../local/registry/registry.ts";
