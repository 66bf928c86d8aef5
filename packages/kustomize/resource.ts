import { equalGvks, type Gvk, parseApiVersion, type ResId } from "./ids.ts";
import { childFields, type Fields, isFields, scalarText, valueAt } from "./json.ts";

/** What a generator wants to happen when an object of the same identity is there already. */
export type Behavior = "create" | "merge" | "replace";

/**
 * One object on its way through the layers, with the names it had before: references to any of them must still find it.
 */
export class Resource {
  fields: Fields;
  /** Identities it had, oldest first. */
  previousIds: ResId[] = [];
  prefixes: string[] = [];
  suffixes: string[] = [];
  behavior: Behavior = "create";
  needsHash = false;

  constructor(fields: Fields) {
    this.fields = fields;
  }

  get gvk(): Gvk {
    return { ...parseApiVersion(scalarText(this.fields["apiVersion"])), kind: this.kind };
  }

  get kind(): string {
    return scalarText(this.fields["kind"]);
  }

  get name(): string {
    return scalarText(valueAt(this.fields, "metadata", "name"));
  }

  set name(name: string) {
    childFields(this.fields, "metadata")["name"] = name;
  }

  get namespace(): string {
    return scalarText(valueAt(this.fields, "metadata", "namespace"));
  }

  set namespace(namespace: string) {
    childFields(this.fields, "metadata")["namespace"] = namespace;
  }

  /** The identity it has now. */
  get id(): ResId {
    return { ...this.gvk, name: this.name, namespace: this.namespace };
  }

  /** The identity it was loaded with. */
  get originalId(): ResId {
    return this.previousIds[0] ?? this.id;
  }

  /** All identities it ever had. */
  get ids(): readonly ResId[] {
    return [...this.previousIds, this.id];
  }

  /** Remembers the identity that is about to change. */
  rememberId(): void {
    const { id } = this;
    const last = this.previousIds.at(-1);
    const same = last !== undefined && equalGvks(last, id) && last.name === id.name && last.namespace === id.namespace;
    if (!same) this.previousIds.push(id);
  }

  labels(): Readonly<Record<string, string>> {
    return textsOf(valueAt(this.fields, "metadata", "labels"));
  }

  annotations(): Readonly<Record<string, string>> {
    return textsOf(valueAt(this.fields, "metadata", "annotations"));
  }

  /** Replaces one of the maps of `metadata`; an empty one is removed. */
  setMetadataMap(field: "labels" | "annotations", entries: Readonly<Record<string, string>>): void {
    const metadata = childFields(this.fields, "metadata");
    if (Object.keys(entries).length === 0) delete metadata[field];
    else metadata[field] = { ...entries };
  }
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, scalarText(entry)]));
}
