import type { AnyObject } from "@kyma-operators/kube";
import { asText, type Fields, isFields, listAt, textAt, valueAt } from "../../resources/kinds/edit.ts";

/** Finds a ConfigMap or Secret of the Pod's namespace. */
export type Lookup = (collection: "/configmaps" | "/secrets", name: string) => AnyObject | undefined;

/** A place of the container's file system and the folder of this machine that stands for it. */
export interface Mount {
  readonly mountPath: string;
  readonly folder: string;
}

/** How a container is started. */
export interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The Pod that a container belongs to, and what it may look up. */
export interface LaunchContext {
  readonly pod: AnyObject;
  readonly podIP: string;
  readonly mounts: readonly Mount[];
  readonly lookup: Lookup;
}

/**
 * Arguments and environment of a container: references looked up, `$(NAME)` expanded, paths below a mount replaced by
 * those of this machine.
 *
 * Throws an error in the words of a kubelet when a reference leads nowhere, or when the container brings a command: only
 * the image's own entrypoint can be started.
 */
export function launchOf(container: Fields, context: LaunchContext): Launch {
  if (Array.isArray(container.command) && container.command.length > 0)
    throw new Error(
      `container ${asText(container.name)} has a command: the image's own entrypoint is all that runs here`,
    );
  const env = environmentOf(container, context);
  const args = Array.isArray(container.args) ? container.args.map(String) : [];
  const here = (text: string): string => translate(text, context.mounts);
  return {
    args: args.map((arg) => here(expand(arg, env))),
    env: Object.fromEntries([...env].map(([name, value]) => [name, here(value)])),
  };
}

function environmentOf(container: Fields, context: LaunchContext): ReadonlyMap<string, string> {
  const env = new Map<string, string>(listAt(container, "envFrom").flatMap((source) => allKeys(source, context)));
  for (const { name, value, valueFrom } of listAt(container, "env")) {
    const found = isFields(valueFrom) ? referenced(valueFrom, container, context) : expand(asText(value), env);
    if (found !== undefined) env.set(asText(name), found);
  }
  return env;
}

function allKeys({ prefix, ...source }: Fields, { lookup }: LaunchContext): readonly (readonly [string, string])[] {
  const { data } = dataOf(source.configMapRef ?? source.secretRef, source.secretRef !== undefined, lookup);
  return [...data].map(([key, value]) => [`${asText(prefix)}${key}`, value] as const);
}

/** The texts of a ConfigMap or Secret. Throws when there is none and it is not optional. */
function dataOf(reference: unknown, isSecret: boolean, lookup: Lookup): { readonly data: ReadonlyMap<string, string> } {
  const name = textAt(reference, "name");
  const object = lookup(isSecret ? "/secrets" : "/configmaps", name);
  if (object === undefined && valueAt(reference, "optional") !== true)
    throw new Error(`${isSecret ? "secret" : "configmap"} "${name}" not found`);
  const entries = Object.entries(isFields(object?.data) ? object.data : {});
  const decode = (value: unknown): string =>
    isSecret ? Buffer.from(asText(value), "base64").toString() : asText(value);
  return { data: new Map(entries.map(([key, value]) => [key, decode(value)])) };
}

function referenced(valueFrom: Fields, container: Fields, context: LaunchContext): string | undefined {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (isFields(fieldRef)) return fieldOf(textAt(fieldRef, "fieldPath"), context);
  if (isFields(resourceFieldRef))
    return textAt(container, "resources", ...textAt(resourceFieldRef, "resource").split("."));
  const reference = configMapKeyRef ?? secretKeyRef;
  const isSecret = configMapKeyRef === undefined;
  const key = textAt(reference, "key");
  const value = dataOf(reference, isSecret, context.lookup).data.get(key);
  if (value !== undefined || valueAt(reference, "optional") === true) return value;
  const holder = `${context.pod.metadata.namespace}/${textAt(reference, "name")}`;
  throw new Error(`couldn't find key ${key} in ${isSecret ? "Secret" : "ConfigMap"} ${holder}`);
}

/** What a Pod may know of itself: `metadata.name`, `metadata.labels['a']`, `spec.nodeName`, `status.podIP` … */
export function fieldOf(path: string, { pod, podIP }: Pick<LaunchContext, "pod" | "podIP">): string {
  if (path === "status.podIP" || path === "status.podIPs") return podIP;
  if (path === "status.hostIP" || path === "status.hostIPs") return "127.0.0.1";
  const [, map, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  return map === undefined ? textAt(pod, ...path.split(".")) : textAt(pod, "metadata", map, key ?? "");
}

/** `$(NAME)` is the variable if there is one; `$$(NAME)` is the text `$(NAME)`. */
function expand(text: string, env: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$(\$?)\(([^)]+)\)/g, (all, escaped: string, name: string) =>
    escaped === "" ? (env.get(name) ?? all) : all.slice(1),
  );
}

/** A path stands at the start of a text, or after `=`, `,` or `:`, and ends where its name ends. */
function translate(text: string, mounts: readonly Mount[]): string {
  for (const { mountPath, folder } of mounts.toSorted((a, b) => b.mountPath.length - a.mountPath.length)) {
    for (const at of occurrences(text, mountPath)) {
      return `${translate(text.slice(0, at), mounts)}${folder}${translate(text.slice(at + mountPath.length), mounts)}`;
    }
  }
  return text;
}

function occurrences(text: string, path: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const isStart = at === 0 || "=,:".includes(text.charAt(at - 1));
    const next = text.charAt(at + path.length);
    if (isStart && (next === "" || "/,:".includes(next))) found.push(at);
  }
  return found;
}
