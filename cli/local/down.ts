import { Command } from "commander";
import { callControl } from "../../local/control.ts";
import { localErrors } from "../../local/errors.ts";
import { WorldFolder } from "../../local/state-files.ts";
import type { Io } from "../io.ts";
import { dataDirOf, dataDirOption } from "./data-dir.ts";

const graceMs = 10_000;

/** `kyma local down [--data-dir DIR]`: stops the world of that folder and removes the folder. */
export function command(io: Io): Command {
  return new Command()
    .description("Stop the local world and remove its data.")
    .addOption(dataDirOption())
    .action(async ({ dataDir }: { dataDir: string }) => {
      const folder = new WorldFolder(dataDirOf(io, dataDir));
      const state = await folder.state();
      if ((await io.files.kind(folder.path)) === undefined) throw localErrors.NOT_RUNNING({ folder: folder.path });
      // Without an answer the world has ended, perhaps by a crash, and only its folder is left.
      if (state !== undefined && (await callControl(state, "POST", "/stop")) !== undefined) await untilGone(io, folder);
      await folder.remove();
      io.stdout.write(`stopped, ${folder.path} is removed\n`);
    });
}

/** The running command removes its own state as its last step. */
async function untilGone(io: Io, folder: WorldFolder): Promise<void> {
  const deadline = io.clock.now() + graceMs;
  for (;;) {
    const state = await folder.state();
    if (state === undefined || (await callControl(state, "GET", "/status")) === undefined) return;
    if (io.clock.now() > deadline)
      throw new Error(`process ${state.pid} did not stop within ${graceMs / 1000} s: end it by hand`);
    await io.clock.sleep(100, io.signal);
  }
}
