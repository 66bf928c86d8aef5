/** The registry of the local world, for tests that talk to it over HTTP. */
export { type Registry, type RegistryOptions, startRegistry } from "../local/registry/registry.ts";
