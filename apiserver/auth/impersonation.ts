import { apiError } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import type { UserInfo } from "../options.ts";
import { type Authorizer, denialMessage } from "./rbac.ts";

/** Who the request is to be answered for: `Impersonate-User` and `-Group`, if the sender may. Throws 403. */
export function impersonated({ headers }: ApiRequest, user: UserInfo, authorize: Authorizer): UserInfo {
  const name = headers["impersonate-user"];
  if (name === undefined || name === "") return user;
  const given = (headers["impersonate-group"] ?? "").split(",").map((group) => group.trim());
  const groups = given.filter((group) => group !== "");
  ensureAllowed("users", name, user, authorize);
  for (const group of groups) ensureAllowed("groups", group, user, authorize);
  return { name, groups: [...new Set([...groups, ...groupsOf(name), "system:authenticated"])] };
}

/** A service account is in the groups of service accounts without being told. */
function groupsOf(name: string): readonly string[] {
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name)?.[1];
  return namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

function ensureAllowed(resource: string, name: string, user: UserInfo, authorize: Authorizer): void {
  const attributes = { user, verb: "impersonate", group: "", resource, subresource: "", namespace: "", name };
  if (authorize(attributes).allowed) return;
  throw apiError.forbidden({ resource, kind: resource, group: "", name }, denialMessage(attributes));
}
