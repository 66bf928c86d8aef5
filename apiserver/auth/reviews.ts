import type { AnyObject } from "@kyma-operators/kube";
import { apiError, fieldProblem } from "../api-error.ts";
import type { UserInfo } from "../options.ts";
import { isFields, textAt, valueAt } from "../resources/kinds/edit.ts";
import type { Store } from "../storage/store.ts";
import { type Identities, userOfToken } from "./authentication.ts";
import { type Attributes, type Authorizer, rulesFor } from "./rbac.ts";
import { issuer } from "./tokens.ts";

/** What reviews look at. */
export interface ReviewContext extends Identities {
  readonly store: Store;
  readonly authorize: Authorizer;
  readonly user: UserInfo;
  /** Of the path; empty for cluster-scoped reviews. */
  readonly namespace: string;
}

type Review = (review: AnyObject, context: ReviewContext) => unknown;

/** Answers of the resources that keep nothing: the `status` of each review, by plural. */
const reviews: Readonly<Record<string, Review>> = {
  tokenreviews: reviewToken,
  selfsubjectreviews: (_review, { user }) => ({ userInfo: shownUser(user) }),
  subjectaccessreviews: (review, context) => decide(context, requireAttributes(review), userOf(review)),
  localsubjectaccessreviews: (review, context) => decide(context, requireLocal(review, context), userOf(review)),
  selfsubjectaccessreviews: (review, context) => decide(context, requireAttributes(review), context.user),
  selfsubjectrulesreviews: reviewRules,
};

/** Whether this resource is a review. */
export function isReview(plural: string): boolean {
  return Object.hasOwn(reviews, plural);
}

/** The review with its answer in `status`. */
export function answerReview(plural: string, review: AnyObject, context: ReviewContext): AnyObject {
  return { ...review, status: reviews[plural]?.(review, context) };
}

function shownUser({ name, uid, groups, extra }: UserInfo): unknown {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups, ...(extra === undefined ? {} : { extra }) };
}

function reviewToken(review: AnyObject, context: ReviewContext): unknown {
  const token = valueAt(review, "spec", "token");
  const wanted = valueAt(review, "spec", "audiences");
  const audiences = Array.isArray(wanted) && wanted.length > 0 ? wanted.map(String) : [issuer];
  if (typeof token !== "string" || token === "")
    throw apiError.badRequest("token is required for TokenReview in authentication");
  const user = userOfToken(token, audiences, context);
  if (user === undefined) return { user: {}, error: "[invalid bearer token, unknown token]" };
  return { authenticated: true, user: shownUser(user), audiences };
}

function userOf(review: AnyObject): UserInfo {
  const { user, groups, uid } = (isFields(review.spec) ? review.spec : {}) as {
    user?: string;
    groups?: string[];
    uid?: string;
  };
  if ((user ?? "") === "" && (groups ?? []).length === 0) {
    invalid(review, "FieldValueInvalid", "spec.user", "at least one of user or group must be specified", "");
  }
  return { name: user ?? "", groups: groups ?? [], ...(uid === undefined ? {} : { uid }) };
}

function requireAttributes(review: AnyObject): Omit<Attributes, "user"> {
  const resource = valueAt(review, "spec", "resourceAttributes");
  const path = valueAt(review, "spec", "nonResourceAttributes");
  if (isFields(resource) === isFields(path)) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    invalid(review, "FieldValueInvalid", "spec.resourceAttributes", detail, null);
  }
  const text = (name: string): string => textAt(resource, name);
  const rest = {
    group: text("group"),
    resource: text("resource"),
    subresource: text("subresource"),
    namespace: text("namespace"),
    name: text("name"),
  };
  if (isFields(path)) return { ...rest, verb: textAt(path, "verb"), path: textAt(path, "path") };
  return { ...rest, verb: text("verb") };
}

function requireLocal(review: AnyObject, { namespace }: ReviewContext): Omit<Attributes, "user"> {
  const attributes = requireAttributes(review);
  if (attributes.namespace === namespace) return attributes;
  return invalid(
    review,
    "FieldValueInvalid",
    "spec.resourceAttributes.namespace",
    "must match metadata.namespace",
    attributes.namespace,
  );
}

function invalid(
  review: AnyObject,
  ...problem: readonly [Parameters<typeof fieldProblem>[0], string, string, unknown]
): never {
  const [reason, field, detail, value] = problem;
  const group = review.apiVersion.split("/")[0] ?? "";
  throw apiError.invalid({ resource: "", kind: "", group, name: "" }, [fieldProblem(reason, field, detail, value)]);
}

function decide({ authorize }: ReviewContext, attributes: Omit<Attributes, "user">, user: UserInfo): unknown {
  const { allowed, reason } = authorize({ ...attributes, user });
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function reviewRules(review: AnyObject, context: ReviewContext): unknown {
  const namespace = textAt(review, "spec", "namespace");
  const rules = [...rulesFor(context.store, context.user, namespace)].map(({ rule }) => rule);
  const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
  const isAllowedAll = context.authorize({
    user: context.user,
    verb: "*",
    group: "*",
    resource: "*",
    subresource: "",
    namespace,
    name: "",
  }).allowed;
  // Rules say it themselves where there are rules.
  const unruled = isAllowedAll && !rules.some(({ resources = [] }) => resources.includes("*"));
  return {
    incomplete: false,
    resourceRules: [...(unruled ? [everything] : []), ...rules.filter(({ resources = [] }) => resources.length > 0)],
    nonResourceRules: [
      ...(unruled ? [{ verbs: ["*"], nonResourceURLs: ["*"] }] : []),
      ...rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    ],
  };
}
