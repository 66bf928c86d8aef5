import { createHash } from "node:crypto";
import { apiError } from "../api-error.ts";
import { kindFacts } from "../facts/facts.ts";
import { kubernetesVersion } from "../facts/generated/kubernetes.ts";
import type { ApiRequest, ApiResponse } from "../http/messages.ts";
import type { Registry } from "../resources/registry.ts";
import { apiVersionOf, type ServedResource } from "../resources/resource.ts";
import { encode } from "../rest/respond.ts";
import { componentName, componentsOf } from "./openapi-schemas.ts";
import { toSwagger } from "./swagger.ts";
import { askedSwaggerProtobuf, encodeSwagger, swaggerProtobuf } from "./swagger-protobuf.ts";

/** The OpenAPI documents of one server, made on the first request after the served kinds changed. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #documents = new Map<string, string | Uint8Array>();
  #generation = -1;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Answers `/openapi/v2`, `/openapi/v3` and the documents below it; `undefined` for other paths. */
  answer(request: ApiRequest): ApiResponse | undefined {
    if (request.path === "/openapi/v2") return this.#swagger(request);
    if (request.path === "/openapi/v3" || request.path === "/openapi/v3/") return encode(200, { paths: this.#index() });
    const name = /^\/openapi\/v3\/(.+)$/.exec(request.path)?.[1];
    if (name === undefined) return undefined;
    const document = this.#document(name);
    return document === undefined ? undefined : encode(200, document);
  }

  /** kubectl asks for protobuf only. */
  #swagger({ headers }: ApiRequest): ApiResponse {
    const accept = headers.accept ?? "*/*";
    if (/application\/(json|\*)|\*\/\*/.test(accept)) {
      return encode(
        200,
        this.#cached("v2", () => JSON.stringify(this.#swaggerDocument())),
      );
    }
    if (![swaggerProtobuf, askedSwaggerProtobuf].some((type) => accept.includes(type)))
      throw apiError.notAcceptable(["application/json", swaggerProtobuf]);
    const body = this.#cached("v2.protobuf", () => encodeSwagger(this.#swaggerDocument()));
    return { status: 200, headers: { "content-type": swaggerProtobuf }, body };
  }

  #swaggerDocument(): Readonly<Record<string, unknown>> {
    return toSwagger(documentOf(this.#registry.all()));
  }

  #index(): Readonly<Record<string, unknown>> {
    const versions = new Map(this.#registry.all().map((resource) => [pathOf(resource), resource]));
    return Object.fromEntries(
      [...versions.keys()].sort().map((name) => {
        const hash = createHash("sha256")
          .update(this.#document(name) ?? "")
          .digest("hex")
          .slice(0, 32)
          .toUpperCase();
        return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }];
      }),
    );
  }

  #document(name: string): string | undefined {
    const resources = this.#registry.all().filter((resource) => pathOf(resource) === name);
    return resources.length === 0 ? undefined : this.#cached(name, () => JSON.stringify(documentOf(resources)));
  }

  #cached<T extends string | Uint8Array>(name: string, make: () => T): T {
    if (this.#generation !== this.#registry.generation) this.#documents.clear();
    this.#generation = this.#registry.generation;
    const known = this.#documents.get(name);
    if (known !== undefined) return known as T;
    const made = make();
    this.#documents.set(name, made);
    return made;
  }
}

const pathOf = (resource: ServedResource): string =>
  `${resource.group === "" ? "api" : "apis"}/${apiVersionOf(resource)}`;

function documentOf(resources: readonly ServedResource[]): Readonly<Record<string, unknown>> {
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: kubernetesVersion },
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: { schemas: componentsOf(resources) },
  };
}

type PathItem = readonly [path: string, item: Readonly<Record<string, unknown>>];

const text = (name: string): unknown => ({ name, in: "query", schema: { type: "string", uniqueItems: true } });
const pathText = (name: string): unknown => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", uniqueItems: true },
});
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"].map(text);
const patchTypes = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

function pathsOf(resource: ServedResource): readonly PathItem[] {
  const { namespaced, plural, verbs, subresources } = resource;
  const collection = `/${pathOf(resource)}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}`;
  const namespace = namespaced ? [pathText("namespace")] : [];
  const ofName = [pathText("name"), ...namespace];
  const operations = operationsOf(resource);
  const items: PathItem[] = [
    [
      collection,
      { parameters: namespace, ...operations.pick(verbs, { get: "list", post: "create", delete: "deletecollection" }) },
    ],
    [
      `${collection}/{name}`,
      {
        parameters: ofName,
        ...operations.pick(verbs, { get: "get", put: "update", patch: "patch", delete: "delete" }),
      },
    ],
  ];
  if (namespaced && verbs.includes("list")) {
    items.push([`/${pathOf(resource)}/${plural}`, operations.pick(verbs, { get: "list" })]);
  }
  for (const [name, { verbs: allowed }] of subresources) {
    const own = operations.pick(allowed, { get: "get", post: "create", put: "update", patch: "patch" });
    items.push([`${collection}/{name}/${name}`, { parameters: ofName, ...own }]);
  }
  return items;
}

interface Operations {
  /** The operations of the methods whose verb is served. */
  pick(verbs: readonly string[], methods: Readonly<Record<string, string>>): Readonly<Record<string, unknown>>;
}

function operationsOf(resource: ServedResource): Operations {
  const { group, version, kind, listKind } = resource;
  const reference = (of: string): unknown => ({ $ref: `#/components/schemas/${schemaName(resource, of)}` });
  const json = (of: string): unknown => ({ "application/json": { schema: reference(of) } });
  const operation = (verb: string): unknown => {
    const isWrite = verb === "create" || verb === "update" || verb === "patch";
    const accepted =
      resource.custom === undefined ? [...patchTypes, "application/strategic-merge-patch+json"] : patchTypes;
    const types = verb === "patch" ? Object.fromEntries(accepted.map((type) => [type, { schema: {} }])) : json(kind);
    return {
      operationId: `${verb}${version}${kind}`,
      ...(isWrite
        ? {
            parameters: [...writeParameters, ...(verb === "patch" ? [text("force")] : [])],
            requestBody: { required: true, content: types },
          }
        : {}),
      responses: { "200": { description: "OK", content: json(verb === "list" ? listKind : kind) } },
      "x-kubernetes-action": verb === "create" ? "post" : verb,
      "x-kubernetes-group-version-kind": { group, version, kind },
    };
  };
  return {
    pick: (verbs, methods) =>
      Object.fromEntries(
        Object.entries(methods)
          .filter(([, verb]) => verbs.includes(verb))
          .map(([method, verb]) => [method, operation(verb)]),
      ),
  };
}

function schemaName(resource: ServedResource, kind: string): string {
  const { group, version } = resource;
  return kindFacts(group, version, kind)?.definition ?? componentName(resource, kind);
}
