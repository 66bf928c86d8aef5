import { typeOfSchema } from "../cel/declarations.ts";
import { compileRules } from "../cel/rules.ts";
import { isRecord, SchemaCompiler } from "../compile.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../field-errors.ts";
import type { Rule } from "../types.ts";
import type { Node } from "./node.ts";

/** Kubernetes' limits on estimated steps: of one rule over a whole object, and of all rules of a schema. */
const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
const advice =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** Adds up what the rules of one schema may cost. */
export class CostSum {
  readonly #path: string;
  readonly #fields: { readonly field: string; readonly cost: number }[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  add(field: string, cost: number): void {
    this.#fields.push({ field, cost });
  }

  faults(): readonly FieldError[] {
    const total = this.#fields.reduce((sum, { cost }) => sum + cost, 0);
    if (total <= schemaLimit) return [];
    const most = [...this.#fields]
      .sort((a, b) => b.cost - a.cost)
      .filter(({ cost }) => cost > schemaLimit / 100)
      .slice(0, 4);
    return [
      ...most.map(({ field }) =>
        forbidden(field, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
      ),
      forbidden(
        this.#path,
        `x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ${excess(total, schemaLimit)}`,
      ),
    ];
  }
}

function excess(cost: number, limit: number): string {
  const factor = cost / limit;
  const size = factor > 100 ? "factor of more than 100x" : `factor of ${factor.toFixed(1)}x`;
  return `exceeds budget by ${size} ${advice}`;
}

export function ruleFaults(node: Node, costs: CostSum): readonly FieldError[] {
  const { raw, path } = node;
  const rules = raw["x-kubernetes-validations"];
  if (!Array.isArray(rules) || rules.length === 0) return [];
  const field = `${path}.x-kubernetes-validations`;
  const written = rules.flatMap((rule, index) => writtenFaults(isRecord(rule) ? rule : {}, `${field}[${index}]`));
  if (written.length > 0) return written;
  const resource = node.level === "root" ? { "x-kubernetes-embedded-resource": true } : {};
  const schema = new SchemaCompiler().compile({ ...raw, ...resource });
  if (typeOfSchema(schema, "selfType") === undefined) {
    const text = "failed to construct type information for x-kubernetes-validations rules";
    const cause = "unable to convert structural schema to CEL declarations";
    return [{ reason: "InternalError", field, message: `Internal error: internal error: ${text}: ${cause}` }];
  }
  return compiledFaults(node, { schema, field, costs });
}

/** What can be said of a rule without compiling it. */
function writtenFaults(rule: Readonly<Record<string, unknown>>, field: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  const { message, reason } = rule;
  const text = typeof rule.rule === "string" ? rule.rule : "";
  if (text.trim() === "") faults.push(required(`${field}.rule`, "rule is not specified"));
  if (typeof message === "string" && message !== "") faults.push(...messageFaults(message, `${field}.message`));
  if (/[\n\r]/.test(text.trim()) && (message === undefined || message === "")) {
    faults.push(required(`${field}.message`, "message must be specified if rule contains line breaks"));
  }
  if (typeof reason === "string" && !reasons.includes(reason))
    faults.push(notSupported(`${field}.reason`, reason, reasons));
  return faults;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function messageFaults(message: string, field: string): readonly FieldError[] {
  if (message.trim() === "") return [invalid(field, message, "must be non-empty if specified")];
  return /[\n\r]/.test(message) ? [invalid(field, message, "must not contain line breaks")] : [];
}

interface Compilation {
  readonly schema: ReturnType<SchemaCompiler["compile"]>;
  readonly field: string;
  readonly costs: CostSum;
}

function compiledFaults(node: Node, { schema, field, costs }: Compilation): readonly FieldError[] {
  const { rules, faults } = compileRules(schema);
  const errors = faults.map(({ index, part, text }) => {
    const rule = schema.rules[index];
    return invalidRule(`${field}[${index}].${part}`, rule, text);
  });
  for (const { rule, program, message } of rules) {
    const at = `${field}[${schema.rules.indexOf(rule)}]`;
    errors.push(...costFaults(`${at}.rule`, program.cost.max * node.cardinality, { costs, what: "rule" }));
    if (message !== undefined) {
      errors.push(...costFaults(`${at}.messageExpression`, message.cost.max, { costs, what: "messageExpression" }));
    }
    errors.push(...transitionFaults(node, rule, at, program.reads.has("oldSelf")));
    errors.push(...fieldPathFaults(node, rule, at));
  }
  return errors;
}

function costFaults(
  field: string,
  cost: number,
  { costs, what }: { costs: CostSum; what: string },
): readonly FieldError[] {
  costs.add(field, cost);
  if (cost <= ruleLimit) return [];
  return [forbidden(field, `estimated ${what} cost ${excess(cost, ruleLimit)}`)];
}

function transitionFaults({ uncorrelated }: Node, rule: Rule, at: string, readsOld: boolean): readonly FieldError[] {
  if (readsOld && uncorrelated !== undefined) {
    const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    return [invalid(`${at}.rule`, rule.rule, text)];
  }
  if (readsOld || rule.optionalOldSelf === undefined) return [];
  return [invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule")];
}

/** A field path leads to a field that the schema knows. */
function fieldPathFaults({ raw }: Node, { fieldPath }: Rule, at: string): readonly FieldError[] {
  if (fieldPath === undefined || fieldPath === "") return [];
  const part = /\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\]/g;
  const steps = [...fieldPath.matchAll(part)].map(([, name, key]) => name ?? key ?? "");
  let schema: unknown = raw;
  for (const step of steps) schema = childOf(schema, step);
  const whole = fieldPath.replaceAll(part, "") === "" && steps.length > 0;
  return whole && schema !== undefined ? [] : [invalid(`${at}.fieldPath`, fieldPath, "must be a valid path")];
}

function childOf(schema: unknown, name: string): unknown {
  if (!isRecord(schema)) return undefined;
  if (isRecord(schema.properties) && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return isRecord(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

/** Kubernetes shows the rule as Go prints its JSON. */
function invalidRule(field: string, rule: Rule | undefined, text: string): FieldError {
  const { rule: expression = "", message = "", messageExpression = "", reason = null, fieldPath = "" } = rule ?? {};
  const shown = {
    Rule: expression,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: rule?.optionalOldSelf ?? null,
  };
  const json = JSON.stringify(shown).replaceAll(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${json}: ${text}` };
}
