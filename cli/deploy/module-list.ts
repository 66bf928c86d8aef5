import type { AnyObject } from "@kyma-operators/kube";
import { locateYaml, parseYaml } from "@kyma-operators/yaml";
import { z } from "zod";
import { deployErrors } from "./errors.ts";

const text = z.string({ error: "expected a text" }).min(1, "must not be empty");
const channel = text.regex(/^[a-z]{3,32}$/, "expected 3 to 32 lower-case letters");
const object = z.looseObject({
  apiVersion: text,
  kind: text,
  metadata: z.looseObject({ name: text, namespace: text.optional() }),
});
const file = z.strictObject({ file: text });
const values = z.record(z.string(), z.unknown(), { error: "expected values by name" });

const schema = z.strictObject({
  apiVersion: z.literal("cli.kyma-project.io/v1alpha1", { error: "expected cli.kyma-project.io/v1alpha1" }),
  kind: z.literal("ModuleList", { error: "expected ModuleList" }),
  channel: channel.optional(),
  values: values.optional(),
  modules: z
    .array(
      z.strictObject({
        name: text,
        channel: channel.optional(),
        customResourcePolicy: z
          .enum(["CreateAndDelete", "Ignore"], { error: "expected CreateAndDelete or Ignore" })
          .optional(),
        managed: z.boolean({ error: "expected true or false" }).optional(),
        template: text.optional(),
        values: values.optional(),
        resources: z.array(z.union([file, object], { error: "expected an object, or file: PATH" })).default([]),
      }),
    )
    .default([]),
});

/** A module list file. Paths in it begin at its folder. */
export type ModuleList = z.infer<typeof schema>;
export type ListedResource = ModuleList["modules"][number]["resources"][number];

/** True for a resource that stands in a file of its own. */
export function isFileReference(resource: ListedResource): resource is { readonly file: string } {
  return typeof (resource as { file?: unknown }).file === "string";
}

/** A listed resource as the API takes it. */
export function asObject(resource: ListedResource): AnyObject {
  return resource as unknown as AnyObject;
}

/** Reads a module list. Throws `DEPLOY_FILE_INVALID` with line and field of all that is wrong, and the codes of YAML. */
export function parseModuleList(content: string, name: string): ModuleList {
  const raw = parseYaml(content, { name, duplicateKeys: "error" });
  const read = schema.safeParse(raw);
  const problems = [
    ...(read.error?.issues ?? []).flatMap((issue) => problemsOf(issue, content)),
    ...repeated(raw, content),
  ];
  if (!read.success || problems.length > 0) throw deployErrors.FILE_INVALID({ file: name, problems });
  return read.data;
}

function problemsOf(issue: z.core.$ZodIssue, content: string): readonly string[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${placeOf([...path, key], content)}: unknown field`);
  }
  return [`${placeOf(path, content)}: ${issue.message}`];
}

function placeOf(path: readonly (string | number)[], content: string): string {
  const field = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  const line = locateYaml(content)(path)?.line;
  return `${line === undefined ? "" : `line ${line}: `}${field.replace(/^\./, "") || "file"}`;
}

function repeated(raw: unknown, content: string): readonly string[] {
  const modules = (raw as { modules?: unknown } | null)?.modules;
  if (!Array.isArray(modules)) return [];
  const listed = modules.map((module: unknown) => (module as { name?: unknown } | null)?.name);
  return listed.flatMap((name, at) =>
    typeof name === "string" && listed.indexOf(name) < at
      ? [`${placeOf(["modules", at, "name"], content)}: ${name} is listed twice`]
      : [],
  );
}
