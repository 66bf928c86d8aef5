import { resolve } from "node:path";
import { Option } from "commander";
import type { Io } from "../io.ts";

/** Where `kyma local` keeps kubeconfigs, logs and state. */
export function dataDirOption(): Option {
  return new Option("--data-dir <folder>", "folder of kubeconfigs, logs and state")
    .default(".local")
    .env("KYMA_LOCAL_DIR");
}

/** The folder as an absolute path. */
export function dataDirOf(io: Io, value: string): string {
  return resolve(io.cwd, value);
}
