import { isComponentName } from "@kyma-operators/ocm";
import { parseYaml } from "@kyma-operators/yaml";
import { z } from "zod";
import { states } from "../../../apis/operator/state.ts";
import { createErrors } from "./errors.ts";

const version =
  /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+[0-9a-zA-Z.-]+)?$/;
/** What a ModuleTemplate can carry. */
const templateVersion = /^\d+\.\d+\.\d+(-[a-zA-Z-][0-9a-zA-Z-]*)?$/;
const shortName = /^[a-z]{3,}(-[a-z]{3,})*$/;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

const text = z.string({ error: "expected a text" }).min(1, "must not be empty");
const flag = z.boolean({ error: "expected true or false" });
const link = text.refine((value) => URL.canParse(value), "expected a URL");
const linked = z.strictObject({ name: text, link });
const texts = z.record(z.string(), z.string({ error: "expected a text" }));
const channel = text.regex(/^[a-z]{3,32}$/, "expected 3 to 32 lower-case letters");
const kind = { group: z.string(), version: text, kind: text };

const schema = z.strictObject({
  name: text
    .refine(isComponentName, "expected a domain and a path of at most 255 characters, as example.org/module/demo")
    .refine(
      (name) => shortName.test(shortNameOf(name)) && shortNameOf(name).length <= 64,
      "the last part must be words of at least 3 lower-case letters, joined by hyphens, at most 64 characters",
    ),
  version: text
    .regex(version, "expected a semantic version, as 1.4.2")
    .refine(
      (value) => !version.test(value) || isTemplateVersion(value),
      "a ModuleTemplate takes at most 32 characters, no build data, and pre-releases of letters, digits and hyphens only",
    ),
  channel: channel.optional(),
  manifest: text.optional(),
  chart: text.optional(),
  kustomize: text.optional(),
  defaultCR: text.optional(),
  security: text.optional(),
  mandatory: flag.default(false),
  resourceName: text.max(253).regex(dnsName, "expected a DNS name").optional(),
  namespace: text.max(253, "at most 253 characters").regex(dnsLabel, "expected a DNS label").default("kcp-system"),
  internal: flag.default(false),
  beta: flag.default(false),
  labels: texts.default({}),
  annotations: texts.default({}),
  customStateCheck: z
    .array(
      z.strictObject({
        jsonPath: text,
        value: text,
        mappedState: z.enum(states.filter(isMappable), {
          error: "expected Ready, Error, Warning, Processing or Deleting",
        }),
      }),
    )
    .optional(),
  repository: link.optional(),
  documentation: link.optional(),
  icons: z.array(linked).optional(),
  requiresDowntime: flag.default(false),
  manager: z.strictObject({ ...kind, name: text, namespace: text.optional() }).optional(),
  associatedResources: z.array(z.strictObject(kind)).optional(),
  resources: z.array(linked).default([]),
});

/** A module config that can be used. `version` is without the leading `v`. */
export type ModuleConfig = z.infer<typeof schema> & { readonly source: ModuleSource };

/** What is installed: a path below the config's folder, or for a manifest also a URL. */
export interface ModuleSource {
  readonly kind: "manifest" | "chart" | "kustomize";
  readonly place: string;
}

/** The module's name inside a Kyma: the last part of the component's name. */
export function shortNameOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function isMappable(state: (typeof states)[number]): boolean {
  return state !== "" && state !== "Unmanaged";
}

function isTemplateVersion(value: string): boolean {
  return templateVersion.test(value.replace(/^v/, "")) && value.length <= 32;
}

/** A config that was read already. Throws `CREATE_CONFIG_INVALID` with all fields that are wrong. */
export function parsedConfig(raw: unknown, file: string): ModuleConfig {
  return check(raw, file, []);
}

/**
 * Reads a module config. Throws `CREATE_CONFIG_INVALID` with all that is wrong, field by field, and the codes of YAML.
 *
 * With `channel` it is of the former form; without it, `repository`, `documentation` and `icons` are required.
 */
export function parseModuleConfig(content: string, file: string): ModuleConfig {
  const raw = parseYaml(content, { name: file, duplicateKeys: "error" });
  return check(raw, file, crossProblems(recordOf(raw)));
}

function check(raw: unknown, file: string, others: readonly string[]): ModuleConfig {
  const read = schema.safeParse(raw);
  const problems = [...(read.error?.issues ?? []).flatMap(problemsOf), ...others];
  const source = sourcesOf(recordOf(raw))[0];
  if (!read.success || source === undefined || problems.length > 0) {
    throw createErrors.CONFIG_INVALID({ file, problems });
  }
  return { ...read.data, version: read.data.version.replace(/^v/, ""), source };
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(raw: unknown): Fields {
  return typeof raw === "object" && raw !== null ? (raw as Fields) : {};
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const at = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const field = at.replace(/^\./, "");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${field === "" ? "" : `${field}.`}${key}: unknown field`);
  }
  return [`${field || "config"}: ${issue.input === undefined ? missing(issue) : issue.message}`];
}

function missing({ message }: z.core.$ZodIssue): string {
  return message === "Required" ? "required" : `required: ${message}`;
}

function sourcesOf(raw: Fields): readonly ModuleSource[] {
  return (["manifest", "chart", "kustomize"] as const).flatMap((kind) => {
    const place = raw[kind];
    return typeof place === "string" ? [{ kind, place }] : [];
  });
}

/** What can be seen only when several fields are looked at. */
function crossProblems(raw: Fields): readonly string[] {
  const sources = sourcesOf(raw);
  return [
    ...(sources.length === 1
      ? []
      : [`manifest: expected exactly one of manifest, chart and kustomize, found ${sources.length}`]),
    ...modernProblems(raw),
    ...stateProblems(raw["customStateCheck"]),
  ];
}

function modernProblems(raw: Fields): readonly string[] {
  if (raw["channel"] !== undefined) return raw["mandatory"] === true ? ["mandatory: has no channel"] : [];
  return ["repository", "documentation", "icons"]
    .filter((field) => raw[field] === undefined)
    .map((field) => `${field}: required in a config without channel`);
}

function stateProblems(checks: unknown): readonly string[] {
  if (!Array.isArray(checks) || checks.length === 0) return [];
  const mapped = new Set(checks.map((check) => recordOf(check)["mappedState"]));
  return ["Ready", "Error"]
    .filter((state) => !mapped.has(state))
    .map((state) => `customStateCheck: no entry has mappedState ${state}`);
}
