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
      if ((await io.files.kind(folder.path)) === undefined) throw localErrors.NOT_RUNNING({ folder: folder.path });
      await untilGone(io, folder);
      await folder.remove();
      io.stdout.write(`stopped, ${folder.path} is removed\n`);
    });
}

/** Asks until nobody has the folder any more. A world that has just begun can't be asked yet, a busy one is slow. */
async function untilGone(io: Io, folder: WorldFolder): Promise<void> {
  const deadline = io.clock.now() + graceMs;
  while (await folder.isTaken()) {
    const state = await folder.state();
    if (io.clock.now() > deadline) throw localErrors.NOT_STOPPING({ folder: folder.path, pid: state?.pid });
    if (state !== undefined) await callControl(state, "POST", "/stop");
    await io.clock.sleep(100, io.signal);
  }
}
