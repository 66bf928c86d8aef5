import { formatFieldErrors, type Schema } from "@kyma-operators/schema";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { group, kinds, version } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import type { World } from "../../modules/plan-kyma.ts";
import { admit, readCrdSchema } from "../crd-schema.ts";
import type { Io } from "../io.ts";
import { moduleErrors } from "./errors.ts";

type PlanObject = Kyma | Manifest | ModuleReleaseMeta | ModuleTemplate;

/** Reads one Kyma and what decides about its modules, with the defaults and checks of their CRDs. */
export async function readWorld(io: Io, file: string): Promise<World> {
  const text = file === "-" ? new TextDecoder().decode(await io.stdin()) : await io.files.readText(file);
  const objects = parseYamlDocuments(text, { name: file }).filter((document) => document !== null);
  const check = await checker(io);
  const checked = objects.map((object, index) => check(object, `${file}, document ${index + 1}`));
  const [kyma, ...others] = checked.filter((object) => object.kind === "Kyma");
  if (kyma === undefined || others.length > 0) {
    throw moduleErrors.PLAN_INPUT({
      where: file,
      problem: `expected one Kyma, found ${kyma === undefined ? 0 : others.length + 1}`,
    });
  }
  return {
    kyma,
    metas: checked.filter((object) => object.kind === "ModuleReleaseMeta"),
    templates: checked.filter((object) => object.kind === "ModuleTemplate"),
    manifests: checked.filter((object) => object.kind === "Manifest"),
  };
}

/** Checks one document; throws, naming every fault, where the API server would refuse it. */
async function checker(io: Io): Promise<(document: unknown, where: string) => PlanObject> {
  const planned = kinds.filter(({ kind }) => kind !== "Watcher");
  const schemas = new Map<unknown, Schema>();
  for (const resource of planned) schemas.set(resource.kind, await readCrdSchema(io, resource));
  return (document, where) => {
    const { apiVersion, kind } = document as { apiVersion?: unknown; kind?: unknown };
    const schema = schemas.get(kind);
    if (apiVersion !== `${group}/${version}` || schema === undefined) {
      const expected = planned.map((known) => known.kind).join(", ");
      throw moduleErrors.PLAN_INPUT({
        where,
        problem: `expected one of ${expected} in ${group}/${version}, found ${String(kind)} in ${String(apiVersion)}`,
      });
    }
    const { object, faults } = admit(schema, document);
    if (faults.length > 0)
      throw moduleErrors.PLAN_INPUT({ where: `${where}, ${String(kind)}`, problem: formatFieldErrors(faults) });
    return object as PlanObject;
  };
}
