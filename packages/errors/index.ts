export { type AppError, type Codes, defineErrors, hasCode, isAppError, type Retry, retryOf, textOf } from "./errors.ts";
export { redact, Secret } from "./redact.ts";
