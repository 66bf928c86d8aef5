import { parseYaml } from "@kyma-operators/yaml";
import { compareBytes } from "../go/bytes.ts";
import { parseInt64 } from "../go/parse-number.ts";
import type { Compat } from "../version.ts";
import { type Head, readHead } from "./head.ts";
import { sortByKind } from "./order.ts";
import { splitDocuments } from "./split.ts";

/** A document that a chart rendered. */
export class RenderedDocument {
  /** The template it came from, for example `app/templates/service.yaml`. */
  readonly source: string;
  /** The text, without separators and without white space around it. */
  readonly text: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  #object: unknown;
  #parsed = false;

  constructor(source: string, text: string, head: Pick<Head, "apiVersion" | "kind" | "name">) {
    this.source = source;
    this.text = text;
    this.apiVersion = head.apiVersion;
    this.kind = head.kind;
    this.name = head.name;
  }

  /**
   * The document as a plain object, `null` when it holds comments only. Parsed when first asked for and kept:
   * do not change it. Throws `YAML_VALUE` for integers that JavaScript cannot hold.
   */
  get object(): unknown {
    if (!this.#parsed) this.#object = parseYaml(this.text, { name: this.source });
    this.#parsed = true;
    return this.#object;
  }
}

export type HookEvent =
  | "pre-install"
  | "post-install"
  | "pre-delete"
  | "post-delete"
  | "pre-upgrade"
  | "post-upgrade"
  | "pre-rollback"
  | "post-rollback"
  | "test";

/** A document that runs at an event of the release's life. */
export class Hook extends RenderedDocument {
  readonly events: readonly HookEvent[];
  /** Hooks of one event run by ascending weight, then by name. */
  readonly weight: number;
  /** `before-hook-creation`, `hook-succeeded`, `hook-failed`; empty means the first. */
  readonly deletePolicies: readonly string[];
  readonly outputLogPolicies: readonly string[];

  constructor(source: string, text: string, head: Head, events: readonly HookEvent[]) {
    super(source, text, head);
    this.events = events;
    this.weight = parseWeight(head.annotations.get("helm.sh/hook-weight"));
    this.deletePolicies = listOf(head.annotations.get("helm.sh/hook-delete-policy"));
    this.outputLogPolicies = listOf(head.annotations.get("helm.sh/hook-output-log-policy"));
  }
}

const events: ReadonlyMap<string, HookEvent> = new Map([
  ["pre-install", "pre-install"],
  ["post-install", "post-install"],
  ["pre-delete", "pre-delete"],
  ["post-delete", "post-delete"],
  ["pre-upgrade", "pre-upgrade"],
  ["post-upgrade", "post-upgrade"],
  ["pre-rollback", "pre-rollback"],
  ["post-rollback", "post-rollback"],
  ["test", "test"],
  ["test-success", "test"],
]);

function parseWeight(text = ""): number {
  const { value, fault } = parseInt64(text);
  return fault === undefined ? Number(value) : 0;
}

function listOf(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== "");
}

/** The events of a hook; undefined when one of them is unknown. */
function eventsOf(text: string): HookEvent[] | undefined {
  const found = text.split(",").map((item) => events.get(item.trim().toLowerCase()));
  return found.includes(undefined) ? undefined : found.filter((event) => event !== undefined);
}

/** What a chart rendered, in the order of installation. */
export interface Sorted {
  readonly documents: readonly RenderedDocument[];
  readonly hooks: readonly Hook[];
  /** Documents left out because their hook has an event that helm does not know. */
  readonly skipped: readonly string[];
}

/** A document as its file has it. */
export interface Piece {
  readonly source: string;
  readonly text: string;
}

/** Splits rendered files into documents; ends early once there are more than `max`. */
export function splitFiles(files: ReadonlyMap<string, string>, max: number): Piece[] {
  const pieces: Piece[] = [];
  for (const source of [...files.keys()].sort(compareBytes)) {
    if (pieces.length > max) break;
    for (const text of splitDocuments(files.get(source) ?? "", max)) pieces.push({ source, text });
  }
  return pieces;
}

/** Tells hooks from other documents and sorts both by kind. Throws `HELM_RENDER`. */
export function sortPieces(pieces: readonly Piece[], compat: Compat): Sorted {
  const documents: RenderedDocument[] = [];
  const hooks: Hook[] = [];
  const skipped: string[] = [];
  for (const { source, text } of pieces) {
    const head = readHead(text, source, compat);
    const hook = head.annotations.get("helm.sh/hook");
    const found = hook === undefined ? undefined : eventsOf(hook);
    if (hook === undefined) documents.push(new RenderedDocument(source, text, head));
    else if (found === undefined) skipped.push(hook);
    else hooks.push(new Hook(source, text, head, found));
  }
  return { documents: sortByKind(documents, compat), hooks: sortByKind(hooks, compat), skipped };
}
