import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { isDns1123Label } from "../names.ts";
import { compareQuantities } from "../quantity.ts";
import { asText, type Fields, isFields, listAt } from "./edit.ts";

/** The problems of a Pod's spec, also inside a template. */
export function validatePodSpec(spec: unknown, path: string): readonly FieldProblem[] {
  const containers = listAt(spec, "containers");
  const volumes = new Set(listAt(spec, "volumes").map(({ name }) => name));
  const inList = (name: string): readonly FieldProblem[] =>
    listAt(spec, name).flatMap((container, index) =>
      validateContainer(container, `${path}.${name}[${index}]`, volumes),
    );
  return [
    ...listAt(spec, "volumes").flatMap(({ name }, index) => nameProblems(name, `${path}.volumes[${index}].name`)),
    ...(containers.length === 0 ? [fieldProblem("FieldValueRequired", `${path}.containers`, "")] : []),
    ...inList("containers"),
    ...inList("initContainers"),
    ...duplicates(containers, `${path}.containers`),
  ];
}

function nameProblems(name: unknown, path: string): readonly FieldProblem[] {
  if (!isText(name)) return [fieldProblem("FieldValueRequired", path, "")];
  return isDns1123Label(name).map((text) => fieldProblem("FieldValueInvalid", path, text, name));
}

function validateContainer(container: Fields, path: string, volumes: ReadonlySet<unknown>): readonly FieldProblem[] {
  const { name, image, resources } = container;
  return [
    ...nameProblems(name, `${path}.name`),
    ...(isText(image) ? [] : [fieldProblem("FieldValueRequired", `${path}.image`, "")]),
    ...listAt(container, "ports").flatMap(({ containerPort }, index) =>
      isPort(containerPort) ? [] : [portProblem(`${path}.ports[${index}].containerPort`, containerPort)],
    ),
    ...listAt(container, "volumeMounts").flatMap(({ name: volume }, index) =>
      volumes.has(volume)
        ? []
        : [fieldProblem("FieldValueNotFound", `${path}.volumeMounts[${index}].name`, "", volume)],
    ),
    ...validateRequests(resources, `${path}.resources.requests`),
  ];
}

/** Whether this is a number that a port may have. */
export function isPort(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

export function portProblem(path: string, value: unknown): FieldProblem {
  return fieldProblem("FieldValueInvalid", path, "must be between 1 and 65535, inclusive", value ?? 0);
}

/** Nothing is promised more than it may have. */
function validateRequests(resources: unknown, path: string): readonly FieldProblem[] {
  const { requests, limits } = isFields(resources) ? resources : {};
  if (!isFields(requests) || !isFields(limits)) return [];
  return Object.entries(requests)
    .filter(([name, request]) => limits[name] !== undefined && compareQuantities(request, limits[name]) > 0)
    .map(([name, request]) =>
      fieldProblem(
        "FieldValueInvalid",
        path,
        `must be less than or equal to ${name} limit of ${asText(limits[name])}`,
        request,
      ),
    );
}

function duplicates(containers: readonly Fields[], path: string): readonly FieldProblem[] {
  const seen = new Set<unknown>();
  return containers.flatMap(({ name }, index) => {
    const isTwin = isText(name) && seen.has(name);
    seen.add(name);
    return isTwin ? [fieldProblem("FieldValueDuplicate", `${path}[${index}].name`, "", name)] : [];
  });
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
