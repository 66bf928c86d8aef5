import { deepEqual } from "node:assert/strict";
import { test } from "@jest/globals";
import { silentLogger } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { kymaObject, moduleObjects } from "../../testing/index.ts";
import { CatalogIndex } from "./catalog-index.ts";
import { RestrictedModules } from "./restricted-modules.ts";

test("the log tells of restricted modules without a release, and of selectors that cannot be used, once (8.9, 5.6)", () => {
  const lines: unknown[] = [];
  const note = (fields: object) => void lines.push(Object.values(fields));
  const restricted = new RestrictedModules({ ...silentLogger, error: note, warn: note });
  const metas = moduleObjects("alpha", { regular: "1.0.0" }).filter(({ kind }) => kind === "ModuleReleaseMeta");
  const [alpha] = metas as unknown as readonly ModuleReleaseMeta[];
  const open = { ...alpha, spec: { ...alpha?.spec, kymaSelector: { matchLabels: { a: "b" } } } } as ModuleReleaseMeta;

  restricted.reportUnknown(["alpha", "bravo"], [open]);
  deepEqual(lines.splice(0), [["bravo"]]);

  let listed: readonly ModuleReleaseMeta[] = [open];
  const lists = { metas: () => listed, templates: () => [] };
  const settings = { restrictedModules: [], syncNamespace: "kyma-system" };
  const index = new CatalogIndex(
    "kcp-system",
    { ...lists, leftOut: (problems) => restricted.reportLeftOut(problems) },
    settings,
  );
  const look = (...metas: readonly ModuleReleaseMeta[]): void => {
    listed = metas;
    index.invalidate();
    index.remoteOf(kymaObject("runtime-1", { channel: "regular" }) as unknown as Kyma);
  };
  const leftOut = ["alpha", "has kymaSelector but is not in restricted modules list"];
  for (let looks = 0; looks < 3; looks += 1) look(open);
  deepEqual(lines.splice(0), [leftOut]);
  look(alpha as ModuleReleaseMeta);
  look(open);
  deepEqual(lines, [leftOut], "what comes back after it was mended is news");
});
