import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { isDns1123Label } from "../names.ts";
import { problemsOf } from "./checks.ts";
import { containerFields, initFields, volumeFields } from "./container-checks.ts";
import { type Fields, isFields, listAt } from "./edit.ts";
import { podFields } from "./pod-checks.ts";

/** The problems of a Pod's spec, also inside a template. */
export function validatePodSpec(spec: unknown, path: string): readonly FieldProblem[] {
  const containers = listAt(spec, "containers");
  const volumes = new Set(listAt(spec, "volumes").map(({ name }) => name));
  const inList = (name: string): readonly FieldProblem[] =>
    listAt(spec, name).flatMap((container, index) =>
      validateContainer(container, `${path}.${name}[${index}]`, volumes),
    );
  return [
    ...listAt(spec, "volumes").flatMap((volume, index) => validateVolume(volume, `${path}.volumes[${index}]`)),
    ...duplicateNames(listAt(spec, "volumes"), `${path}.volumes`),
    ...(containers.length === 0 ? [fieldProblem("FieldValueRequired", `${path}.containers`, "")] : []),
    ...inList("containers"),
    ...inList("initContainers"),
    ...listAt(spec, "initContainers").flatMap((container, index) =>
      problemsOf(initFields, container, `${path}.initContainers[${index}]`),
    ),
    ...duplicateNames(containers, `${path}.containers`),
    ...duplicateNames(listAt(spec, "initContainers"), `${path}.initContainers`, containers),
    ...problemsOf(podFields, spec, path),
  ];
}

/** What a volume of this type has to name. */
const volumeNames: Readonly<Record<string, string>> = {
  configMap: "name",
  secret: "secretName",
  persistentVolumeClaim: "claimName",
};

function validateVolume(volume: Fields, path: string): readonly FieldProblem[] {
  const unnamed = Object.entries(volumeNames).filter(([type, field]) => {
    const source = volume[type];
    return isFields(source) && !isText(source[field]);
  });
  return [
    ...nameProblems(volume.name, `${path}.name`),
    ...problemsOf(volumeFields, volume, path),
    ...unnamed.map(([type, field]) => fieldProblem("FieldValueRequired", `${path}.${type}.${field}`, "")),
  ];
}

function nameProblems(name: unknown, path: string): readonly FieldProblem[] {
  if (!isText(name)) return [fieldProblem("FieldValueRequired", path, "")];
  return isDns1123Label(name).map((text) => fieldProblem("FieldValueInvalid", path, text, name));
}

function validateContainer(container: Fields, path: string, volumes: ReadonlySet<unknown>): readonly FieldProblem[] {
  const { name } = container;
  return [
    ...nameProblems(name, `${path}.name`),
    ...imageProblems(container, `${path}.image`),
    ...listAt(container, "env").flatMap((variable, index) => variableProblems(variable, `${path}.env[${index}]`)),
    ...listAt(container, "ports").flatMap(({ containerPort }, index) =>
      containerPortProblems(containerPort, `${path}.ports[${index}].containerPort`),
    ),
    ...duplicateNames(listAt(container, "ports"), `${path}.ports`),
    ...listAt(container, "volumeMounts").flatMap((mount, index) =>
      mountProblems(mount, `${path}.volumeMounts[${index}]`, volumes),
    ),
    ...problemsOf(containerFields, container, path),
  ];
}

function imageProblems({ image }: Fields, path: string): readonly FieldProblem[] {
  if (!isText(image)) return [fieldProblem("FieldValueRequired", path, "")];
  if (image === image.trim()) return [];
  return [fieldProblem("FieldValueInvalid", path, "must not have leading or trailing whitespace", image)];
}

const variableText = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const sourcesText =
  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

function variableProblems({ name, value, valueFrom }: Fields, path: string): readonly FieldProblem[] {
  const source = `${path}.valueFrom`;
  return [
    ...(isText(name) ? [] : [fieldProblem("FieldValueRequired", `${path}.name`, "")]),
    ...(isText(name) && !/^[ -<>-~]+$/.test(name)
      ? [fieldProblem("FieldValueInvalid", `${path}.name`, variableText, name)]
      : []),
    ...sourceProblems(valueFrom, isText(value), source),
  ];
}

function sourceProblems(valueFrom: unknown, hasValue: boolean, path: string): readonly FieldProblem[] {
  if (!isFields(valueFrom)) return [];
  if (Object.keys(valueFrom).length === 0) return [fieldProblem("FieldValueInvalid", path, sourcesText, "")];
  return hasValue
    ? [fieldProblem("FieldValueInvalid", path, "may not be specified when `value` is not empty", "")]
    : [];
}

function mountProblems(
  { name, mountPath }: Fields,
  path: string,
  volumes: ReadonlySet<unknown>,
): readonly FieldProblem[] {
  return [
    ...(volumes.has(name) ? [] : [fieldProblem("FieldValueNotFound", `${path}.name`, "", name)]),
    ...(isText(mountPath) ? [] : [fieldProblem("FieldValueRequired", `${path}.mountPath`, "")]),
  ];
}

function containerPortProblems(value: unknown, path: string): readonly FieldProblem[] {
  if (value === undefined || value === 0) return [fieldProblem("FieldValueRequired", path, "")];
  return isPort(value) ? [] : [portProblem(path, value)];
}

/** Whether this is a number that a port may have. */
export function isPort(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

export function portProblem(path: string, value: unknown): FieldProblem {
  return fieldProblem("FieldValueInvalid", path, "must be between 1 and 65535, inclusive", value ?? 0);
}

/**
 * Names that stand in a list for the second time.
 *
 * @param others - entries of other lists whose names are taken, too
 */
export function duplicateNames(
  entries: readonly Fields[],
  path: string,
  others: readonly Fields[] = [],
): readonly FieldProblem[] {
  const seen = new Set<unknown>(others.map(({ name }) => name));
  return entries.flatMap(({ name }, index) => {
    const isTwin = isText(name) && seen.has(name);
    seen.add(name);
    return isTwin ? [fieldProblem("FieldValueDuplicate", `${path}[${index}].name`, "", name)] : [];
  });
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
