import type { AnyObject } from "@kyma-operators/kube";
import type { Extension, UserInfo } from "../options.ts";
import type { ServedResource } from "../resources/resource.ts";

/** One write that asks for admission. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly resource: ServedResource;
  readonly namespace: string;
  /** Empty for a create with `generateName`. */
  readonly name: string;
  readonly subresource: string;
  readonly object: AnyObject;
  readonly oldObject?: AnyObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a `Warning` header. */
  warn(text: string): void;
}

/** Asks whoever may change or refuse a write. Both throw `ApiError` to refuse. */
export interface Admission {
  mutate(request: AdmissionRequest): Promise<AnyObject>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** Asks each in turn: the object goes through all of them, each may refuse. */
export function admissionChain(chain: readonly Admission[]): Admission {
  return {
    mutate: async (request) => {
      let { object } = request;
      for (const admission of chain) object = await admission.mutate({ ...request, object });
      return object;
    },
    validate: async (request) => {
      for (const admission of chain) await admission.validate(request);
    },
  };
}

/** Admission by the hooks of the extensions, by collection. */
export function extensionAdmission(extensions: ReadonlyMap<string, Extension>): Admission {
  const ask = async (request: AdmissionRequest): Promise<AnyObject> => {
    const { operation, resource, object, oldObject, subresource, user, dryRun } = request;
    const admit = extensions.get(resource.collection)?.admit;
    const write = { operation, object, subresource, user, dryRun, ...(oldObject === undefined ? {} : { oldObject }) };
    return (await admit?.(write)) ?? object;
  };
  return {
    mutate: (request) => (request.operation === "DELETE" ? Promise.resolve(request.object) : ask(request)),
    validate: async (request) => {
      if (request.operation === "DELETE") await ask(request);
    },
  };
}
