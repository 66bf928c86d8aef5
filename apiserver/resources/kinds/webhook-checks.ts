import { fieldProblem } from "../../api-error.ts";
import { isQualifiedName } from "../names.ts";
import { all, type Check, fields, items, needs, oneOf, unless } from "./checks.ts";
import { asText, type Fields, isFields } from "./edit.ts";

const versions = ["v1", "v1beta1"];

const reviewVersions: Check = (value, path, problems) => {
  const { admissionReviewVersions: given } = value as Fields;
  const field = `${path}.admissionReviewVersions`;
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const known = versions.join(", ");
  if (list.length === 0) problems.push(fieldProblem("FieldValueRequired", field, `must specify one of ${known}`));
  else if (!list.some((version) => versions.includes(asText(version)))) {
    problems.push(fieldProblem("FieldValueInvalid", field, `must include at least one of ${known}`, list));
  }
};

const sideEffects: Check = (value, path, problems) => {
  const { sideEffects: given } = value as Fields;
  const field = `${path}.sideEffects`;
  if ((given ?? "") === "") {
    problems.push(fieldProblem("FieldValueRequired", field, "must specify one of None, NoneOnDryRun"));
  } else oneOf("None", "NoneOnDryRun")(given, field, problems);
};

const url = (value: unknown, path: string, problems: Parameters<Check>[2]): void => {
  const scheme = URL.canParse(asText(value)) ? new URL(asText(value)).protocol.slice(0, -1) : "";
  if (scheme === "https") return;
  const detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
  problems.push(fieldProblem("FieldValueInvalid", path, detail, scheme));
};

/** Where the webhook is: one place. */
const client: Check = (value, path, problems) => {
  const { url: given, service } = isFields(value) ? value : {};
  if ((given === undefined) === (service === undefined)) {
    problems.push(fieldProblem("FieldValueRequired", path, "exactly one of url or service is required"));
    return;
  }
  if (given !== undefined) url(given, `${path}.url`, problems);
  else needs(["name", "namespace"])(service, `${path}.service`, problems);
};

const domainText = "should be a domain with at least three segments separated by dots";
const domain: Check = (value, path, problems) => {
  const text = asText(value);
  for (const problem of isQualifiedName(text)) problems.push(fieldProblem("FieldValueInvalid", path, problem, text));
  if (text.split(".").length < 3) problems.push(fieldProblem("FieldValueInvalid", path, domainText, text));
};

/** One webhook, beyond its conditions. */
export const webhookFields: Check = all(
  fields({ name: domain }),
  (value, path, problems) => client((value as Fields).clientConfig, `${path}.clientConfig`, problems),
  reviewVersions,
  sideEffects,
  fields({
    rules: items(needs(["operations", "apiGroups", "apiVersions", "resources"])),
    timeoutSeconds: unless(
      (value) => typeof value !== "number" || (value >= 1 && value <= 30),
      "the timeout value must be between 1 and 30 seconds",
    ),
  }),
);
