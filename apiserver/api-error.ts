import type { AnyObject } from "@kyma-operators/kube";

/** One entry of `details.causes`. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** What the `details` of a Status may name. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A refusal with the HTTP code, reason and message that Kubernetes gives; answered as a `Status` object. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(init: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly details?: StatusDetails;
    readonly cause?: unknown;
  }) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.reason = init.reason;
    this.details = init.details;
  }

  /** The `Status` object of the response body. */
  status(): AnyObject {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason === "" ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** Names the object in messages the way Kubernetes does: `deployments.apps "web"`. */
export interface Subject {
  /** Plural; for `Invalid` and field messages the kind. */
  readonly resource: string;
  readonly kind: string;
  readonly group: string;
  readonly name: string;
}

const qualified = (resource: string, group: string): string => (group === "" ? resource : `${resource}.${group}`);
const detailsOf = ({ name, group, resource }: Subject): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  kind: resource,
});

/** Kinds of problems of one field, with the first words Kubernetes gives them. */
const causeTexts = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueNotFound: "Not found",
  FieldValueTypeInvalid: "Invalid value",
} as const;

/** One problem of one field, as `metadata.causes` carries it. */
export interface FieldProblem {
  readonly reason: keyof typeof causeTexts | (string & {});
  readonly field: string;
  /** The whole text after the field, for example `Required value: must be set`. */
  readonly message: string;
}

/** A field problem with the text of Kubernetes; `value` is shown for the reasons that name it. */
export function fieldProblem(
  reason: keyof typeof causeTexts,
  field: string,
  detail: string,
  ...value: readonly [unknown?]
): FieldProblem {
  const head = causeTexts[reason];
  const shown = value.length === 0 ? "" : `: ${showValue(value[0])}`;
  return { reason, field, message: `${head}${shown}${detail === "" ? "" : `: ${detail}`}` };
}

function showValue(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

/** Refusals by their Kubernetes reason. Hooks of an extension throw these too. */
export const apiError = {
  notFound: (subject: Subject): ApiError =>
    new ApiError({
      code: 404,
      reason: "NotFound",
      message: `${qualified(subject.resource, subject.group)} "${subject.name}" not found`,
      details: detailsOf(subject),
    }),
  /** No such path. */
  noRoute: (): ApiError =>
    new ApiError({
      code: 404,
      reason: "NotFound",
      message: "the server could not find the requested resource",
      details: {},
    }),
  alreadyExists: (subject: Subject): ApiError =>
    new ApiError({
      code: 409,
      reason: "AlreadyExists",
      message: `${qualified(subject.resource, subject.group)} "${subject.name}" already exists`,
      details: detailsOf(subject),
    }),
  conflict: (
    subject: Subject,
    message = "the object has been modified; please apply your changes to the latest version and try again",
  ): ApiError =>
    new ApiError({
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on ${qualified(subject.resource, subject.group)} "${subject.name}": ${message}`,
      details: detailsOf(subject),
    }),
  /** Conflict of server-side apply: one cause per field. */
  applyConflict: (message: string, causes: readonly StatusCause[]): ApiError =>
    new ApiError({ code: 409, reason: "Conflict", message, details: { causes } }),
  invalid: (subject: Subject, problems: readonly FieldProblem[]): ApiError => {
    const texts = [...new Set(problems.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)))];
    const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
    return new ApiError({
      code: 422,
      reason: "Invalid",
      message: `${qualified(subject.kind, subject.group)} "${subject.name}" is invalid: ${list}`,
      details: {
        ...(subject.name === "" ? {} : { name: subject.name }),
        ...(subject.group === "" ? {} : { group: subject.group }),
        kind: subject.kind,
        causes: problems.map(({ reason, message, field }) => ({ reason, message, field })),
      },
    });
  },
  badRequest: (message: string): ApiError => new ApiError({ code: 400, reason: "BadRequest", message }),
  forbidden: (subject: Subject, message: string): ApiError =>
    new ApiError({
      code: 403,
      reason: "Forbidden",
      message: `${qualified(subject.resource, subject.group)}${subject.name === "" ? "" : ` "${subject.name}"`} is forbidden: ${message}`,
      details: detailsOf(subject),
    }),
  unauthorized: (): ApiError => new ApiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" }),
  methodNotAllowed: (): ApiError =>
    new ApiError({
      code: 405,
      reason: "MethodNotAllowed",
      message: "the server does not allow this method on the requested resource",
      details: {},
    }),
  notAcceptable: (types: readonly string[]): ApiError =>
    new ApiError({
      code: 406,
      reason: "NotAcceptable",
      message: `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`,
      details: {},
    }),
  unsupportedMediaType: (types: readonly string[]): ApiError =>
    new ApiError({
      code: 415,
      reason: "UnsupportedMediaType",
      message: `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`,
    }),
  tooLarge: (message: string): ApiError => new ApiError({ code: 413, reason: "RequestEntityTooLarge", message }),
  expired: (message: string): ApiError => new ApiError({ code: 410, reason: "Expired", message }),
  internal: (message: string, cause?: unknown): ApiError =>
    new ApiError({ code: 500, reason: "InternalError", message: `Internal error occurred: ${message}`, cause }),
} as const;
