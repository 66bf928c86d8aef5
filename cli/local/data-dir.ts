import { resolve } from "node:path";
import { Option } from "commander";
import type { Io } from "../io.ts";

const usual = ".local";
const variable = "KYMA_LOCAL_DIR";

/** Where `kyma local` keeps kubeconfigs, logs and state. */
export function dataDirOption(): Option {
  return new Option("--data-dir <folder>", "folder of kubeconfigs, logs and state").default(usual).env(variable);
}

/** The folder as an absolute path. */
export function dataDirOf(io: Io, value: string): string {
  return resolve(io.cwd, value);
}

/** What a command needs to be told to use that folder: nothing where it would do so by itself. */
export function dataDirFlag(io: Io, folder: string): string {
  return folder === dataDirOf(io, io.env[variable] ?? usual) ? "" : ` --data-dir ${folder}`;
}
