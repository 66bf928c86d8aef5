import type { AnyObject } from "@kyma-operators/kube";
import type { ServedResource } from "../resources/resource.ts";
import type { Call } from "./call.ts";
import type { WriteOptions } from "./write-options.ts";

/** What a subresource shows of an object, and what a write to it changes. */
export interface View {
  /** The object as the subresource shows it. */
  read(object: AnyObject, resource: ServedResource): AnyObject;
  /** The whole object after a write to the subresource. */
  write(old: AnyObject, input: AnyObject, resource: ServedResource): AnyObject;
  /** The body of a PUT when it is not an object of the resource itself. */
  decode(call: Call, options: WriteOptions): AnyObject | undefined;
  /** The view shows objects of another kind, for example Scale. */
  readonly isForeign?: boolean;
}

/** The object itself; `status` stays as it is where it has a subresource of its own. */
export const identityView: View = {
  read: (object) => object,
  write: (old, input, { strategy }) => {
    if (!strategy.hasStatus) return input;
    const { status: _, ...rest } = input;
    return old.status === undefined ? rest : { ...rest, status: old.status };
  },
  decode: () => undefined,
};

/** `status`: everything else stays; of `metadata` only what the managed fields need, as Kubernetes does. */
export const statusView: View = {
  read: (object) => object,
  write: (old, input, { custom }) => {
    const { status: _, ...rest } = old;
    const metadata =
      custom === undefined
        ? { ...input.metadata, ...pick(old.metadata, ["labels", "generateName"]) }
        : { ...old.metadata, ...pick(input.metadata, ["managedFields"]) };
    return { ...rest, metadata, ...(input.status === undefined ? {} : { status: input.status }) };
  },
  decode: () => undefined,
};

function pick(
  metadata: AnyObject["metadata"],
  fields: readonly (keyof AnyObject["metadata"])[],
): AnyObject["metadata"] {
  return Object.fromEntries(
    fields.filter((field) => metadata[field] !== undefined).map((field) => [field, metadata[field]]),
  );
}
