import { deepEqual, equal, rejects } from "node:assert/strict";
import { mkdtemp, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { silentLogger } from "@kyma-operators/runtime";
import { FakeClock, landscapeText, tenantsText } from "../../testing/index.ts";
import { LandscapeFiles } from "./landscape-files.ts";

describe("LandscapeFiles", () => {
  let folder = "";
  const path = (name: string): string => join(folder, name);
  const text = (version: string): string =>
    landscapeText().replace("/nowhere", "tenants.json").replace('"1.31.9"', `"${version}"`);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "landscape-"));
    await writeFile(path("config.json"), text("1.31.9"));
    await writeFile(path("tenants.json"), tenantsText());
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = (auditLogMandatory = true): Promise<LandscapeFiles> =>
    LandscapeFiles.open({ converterConfig: path("config.json"), auditLogMandatory });
  const versionOf = ({ current }: LandscapeFiles): string => current.config.converter.kubernetes.defaultVersion;

  /** Follows the files while the step runs, and until they were looked at once more. */
  async function following(files: LandscapeFiles, step: (wait: () => Promise<void>) => Promise<void>): Promise<void> {
    const clock = new FakeClock();
    const stop = new AbortController();
    const running = files.follow(clock, silentLogger, stop.signal);
    await step(async () => {
      await clock.advance(10_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    stop.abort(new Error("the test is over"));
    await running;
  }

  test("tenants are found beside the file that names them", async () => {
    const { current } = await open();
    deepEqual(Object.keys(current.auditLogTenants), ["aws"]);
  });

  test("a changed file counts without a restart; one that is not valid does not", async () => {
    const files = await open();
    let changes = 0;
    files.onChange(() => (changes += 1));
    await following(files, async (wait) => {
      await writeFile(path("config.json"), text("1.32.10"));
      await wait();
      equal(versionOf(files), "1.32.10");
      await writeFile(path("config.json"), "{");
      await wait();
      deepEqual([versionOf(files), changes], ["1.32.10", 1]);
      await writeFile(path("config.json"), text("1.33.1"));
      await wait();
      equal(versionOf(files), "1.33.1");
      await writeFile(path("tenants.json"), "{}");
      await wait();
      deepEqual({ ...files.current.auditLogTenants }, {});
    });
  });

  test("a listener's fault is not taken for one of the files", async () => {
    const files = await open();
    files.onChange(() => {
      throw new Error("listener");
    });
    const errors: object[] = [];
    const log = { ...silentLogger, info: () => undefined, error: (fields: object) => void errors.push(fields) };
    const clock = new FakeClock();
    const ended = rejects(files.follow(clock, log, new AbortController().signal), /listener/);
    await writeFile(path("config.json"), text("1.32.10"));
    await clock.advance(10_000);
    await ended;

    deepEqual([versionOf(files), errors], ["1.32.10", []]);
  });

  test("a mounted ConfigMap, which swaps a link, counts as well", async () => {
    await writeFile(path("first"), text("1.32.10"));
    await writeFile(path("second"), text("1.33.10"));
    await unlink(path("config.json"));
    await symlink(path("first"), path("config.json"));
    const files = await open();
    await following(files, async (wait) => {
      await unlink(path("config.json"));
      await symlink(path("second"), path("config.json"));
      await wait();
    });
    equal(versionOf(files), "1.33.10");
  });

  test("C8: a file that is missing or not valid stops the start", async () => {
    await rm(path("tenants.json"));
    await rejects(open(), { code: "ENOENT" });
    deepEqual({ ...(await open(false)).current.auditLogTenants }, {});
    await writeFile(path("config.json"), "{");
    await rejects(open(), /config\.json/);
  });
});
