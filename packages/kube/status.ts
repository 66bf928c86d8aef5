import type { AppError } from "@kyma-operators/errors";
import { kubeErrors, outsideText, type RequestDetail } from "./errors.ts";
import { headerOf, type TransportResponse } from "./transport.ts";

type Factory = (detail: RequestDetail, cause?: unknown) => AppError;

const byStatus: Readonly<Record<number, Factory>> = {
  400: kubeErrors.BAD_REQUEST,
  401: kubeErrors.UNAUTHORIZED,
  403: kubeErrors.FORBIDDEN,
  404: kubeErrors.NOT_FOUND,
  405: kubeErrors.METHOD_NOT_ALLOWED,
  409: kubeErrors.CONFLICT,
  410: kubeErrors.GONE,
  413: kubeErrors.REQUEST_TOO_LARGE,
  415: kubeErrors.UNSUPPORTED_MEDIA_TYPE,
  422: kubeErrors.INVALID,
  429: kubeErrors.TOO_MANY_REQUESTS,
};

const mostCauses = 32;
const longestRetryAfterMs = 600_000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};

/** What the request was and what else the answer said, for {@link errorFromStatus}. */
export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly retryAfterMs?: number;
  /** The Status object, or whatever came instead of it. */
  readonly body: unknown;
  /** Masks what the request itself wants kept. */
  readonly mask?: (text: string) => string;
}

/** The typed error for an answer that is not a success. The HTTP status decides; `reason` refines a 409. */
export function errorFromStatus(answer: Answer): AppError {
  const status = isFields(answer.body) ? answer.body : {};
  const details = isFields(status["details"]) ? status["details"] : {};
  const { mask = unchanged } = answer;
  const causes = causesOf(details, mask);
  const kind = textIn(details, "kind");
  const name = textIn(details, "name");
  const detail: RequestDetail = {
    method: answer.method,
    path: pathWithoutQuery(answer.path),
    status: answer.status,
    reason: outsideText(textIn(status, "reason") || "Unknown"),
    message: outsideText(mask(textIn(status, "message") || fallbackMessage(answer.body))),
    ...retryAfter(answer, details),
    ...(name === "" ? {} : { object: { kind, name } }),
    ...(causes.length === 0 ? {} : { causes }),
  };
  return factoryFor(detail)(detail);
}

function factoryFor(detail: RequestDetail): Factory {
  if (detail.status === 409 && detail.reason === "AlreadyExists") return kubeErrors.ALREADY_EXISTS;
  if (detail.causes?.some((cause) => cause.reason === "FieldManagerConflict")) return kubeErrors.APPLY_CONFLICT;
  return byStatus[detail.status] ?? kubeErrors.SERVER;
}

const unchanged = (text: string): string => text;

function causesOf(details: Fields, mask: (text: string) => string): NonNullable<RequestDetail["causes"]> {
  const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
  return causes
    .slice(0, mostCauses)
    .filter((cause) => isFields(cause))
    .map((cause) => ({
      field: outsideText(textIn(cause, "field")),
      message: outsideText(mask(textIn(cause, "message"))),
      reason: outsideText(textIn(cause, "reason")),
    }));
}

function retryAfter(answer: Answer, details: Fields): { retryAfterMs?: number } {
  const seconds = details["retryAfterSeconds"];
  const fromBody = typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined;
  const delay = answer.retryAfterMs ?? fromBody;
  return delay === undefined ? {} : { retryAfterMs: Math.min(delay, longestRetryAfterMs) };
}

function fallbackMessage(body: unknown): string {
  return typeof body === "string" && body !== "" ? body.trim() : "no message";
}

export function pathWithoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

/** `Retry-After` in milliseconds; only its form in seconds, the one that API servers send. */
export function retryAfterOf(response: TransportResponse): { retryAfterMs?: number } {
  const seconds = Number(headerOf(response, "retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {};
}
