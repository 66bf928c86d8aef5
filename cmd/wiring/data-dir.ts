import { access, constants, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "@kyma-operators/errors";
import { startErrors } from "../flags/validate.ts";

/** Where this process keeps pulled and rendered content. */
export interface DataDir {
  readonly folder: string;
  /** Removes the folder if it was made for this process alone. */
  close(): Promise<void>;
}

/**
 * The folder of the flag, or a private one of this process where none is named. Throws `START_DATA_DIR` when it can't be
 * written: every module would fail otherwise.
 */
export async function openDataDir(flag: string): Promise<DataDir> {
  try {
    if (flag === "") return await temporary();
    await mkdir(flag, { recursive: true });
    await access(flag, constants.W_OK);
    return { folder: flag, close: async () => undefined };
  } catch (error) {
    throw startErrors.DATA_DIR({ folder: flag || tmpdir(), problem: textOf(error) }, error);
  }
}

async function temporary(): Promise<DataDir> {
  const folder = await mkdtemp(join(tmpdir(), "kyma-operators-"));
  return { folder, close: () => rm(folder, { recursive: true, force: true }) };
}
