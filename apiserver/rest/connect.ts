import { ApiError, apiError } from "../api-error.ts";
import { listAt, textAt } from "../resources/kinds/edit.ts";
import { subjectOf } from "../resources/resource.ts";
import { type Call, storedObject } from "./call.ts";
import { containerOf } from "./pod-log.ts";

/** Refuses one way into what runs, as a cluster does whose nodes don't answer. */
type Connect = (call: Call) => never;

const connections: Readonly<Record<string, Connect>> = {
  "/pods/exec": intoContainer,
  "/pods/attach": intoContainer,
  "/pods/portforward": (call) => intoPod(call),
  "/pods/proxy": toPod,
  "/services/proxy": toService,
  "/nodes/proxy": toNode,
};

/** The answer to a connection that a subresource stands for; `undefined` for any other subresource. */
export function connectionOf({ resource, target }: Call): Connect | undefined {
  const [name = ""] = target.subresource.split("/");
  const path = `${resource.collection}/${name}`;
  return Object.hasOwn(connections, path) ? connections[path] : undefined;
}

const unreachable = (what: string): ApiError =>
  apiError.badRequest(`${what} can't be reached: this server simulates its nodes and opens no connections`);

function intoContainer(call: Call): never {
  containerOf(call, storedObject(call));
  return intoPod(call);
}

function intoPod(call: Call): never {
  const { name } = call.target;
  if (textAt(storedObject(call), "spec", "nodeName") === "") {
    throw apiError.badRequest(`pod ${name} does not have a host assigned`);
  }
  throw unreachable(`pod ${name}`);
}

function toPod(call: Call): never {
  const target = named(call);
  if (textAt(storedObject(target), "status", "podIP") === "") throw apiError.badRequest("address not allowed");
  throw unreachable(`pod ${target.target.name}`);
}

function toService(call: Call): never {
  const target = named(call);
  const { name, namespace } = target.target;
  storedObject(target);
  const endpoints = call.core.store.get({ collection: "/endpoints", namespace, name });
  if (endpoints === undefined) throw apiError.notFound(subjectOf(call.resource, name));
  if (listAt(endpoints.object, "subsets").some((subset) => listAt(subset, "addresses").length > 0)) {
    throw unreachable(`service ${name}`);
  }
  const message = `no endpoints available for service "${name}"`;
  throw new ApiError({ code: 503, reason: "ServiceUnavailable", message });
}

function toNode(call: Call): never {
  const target = named(call);
  storedObject(target);
  throw unreachable(`node ${target.target.name}`);
}

/** The object of `scheme:name:port`, of which only the name is needed. */
function named(call: Call): Call {
  const parts = call.target.name.split(":");
  const name = (parts.length === 3 ? parts[1] : parts[0]) ?? "";
  return { ...call, target: { ...call.target, name } };
}
