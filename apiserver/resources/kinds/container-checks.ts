import { fieldProblem } from "../../api-error.ts";
import {
  all,
  atLeast,
  between,
  type Check,
  fields,
  forbidden,
  id,
  items,
  needs,
  oneOf,
  port,
  portName,
  portOrName,
  subdomain,
  unless,
} from "./checks.ts";
import { asText, type Fields, isFields, listAt } from "./edit.ts";
import { containerResources } from "./quantities.ts";

const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/** One way to act, and only one. */
const handler: Check = (value, path, problems) => {
  const given = handlers.filter((name) => isFields((value as Fields)[name]));
  if (given.length === 0) problems.push(fieldProblem("FieldValueRequired", path, "must specify a handler type"));
  for (const name of given.slice(1)) {
    problems.push(fieldProblem("FieldValueForbidden", `${path}.${name}`, "may not specify more than 1 handler type"));
  }
  handlerFields(value, path, problems);
};

const handlerPort: Check = (value, path, problems) =>
  portOrName(isFields(value) ? (value.port ?? 0) : 0, `${path}.port`, problems);

const handlerFields = fields({
  exec: needs(["command"]),
  httpGet: all(needs(["path"]), handlerPort, fields({ scheme: oneOf("HTTP", "HTTPS") })),
  tcpSocket: handlerPort,
  grpc: fields({ port }),
});

const probeNumbers = {
  initialDelaySeconds: atLeast(0),
  timeoutSeconds: atLeast(0),
  periodSeconds: atLeast(0),
  successThreshold: atLeast(0),
  failureThreshold: atLeast(0),
};

const never = (detail: string): Check => unless(() => false, detail);
const probe = all(handler, fields(probeNumbers));
const once = fields({ successThreshold: unless((value) => value === 1, "must be 1") });

const variableText = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const exposed =
  /^(?:metadata\.(?:name|namespace|uid|(?:labels|annotations)(?:\['.*'\])?)|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIP|podIP)s?)$/;

/** A field of a Pod that its containers may see. */
const fieldPath: Check = all(needs(["fieldPath"]), (value, path, problems) => {
  const field = asText((value as Fields).fieldPath);
  if (field === "" || exposed.test(field)) return;
  const detail = `error converting fieldPath: field label not supported: ${field}`;
  problems.push(fieldProblem("FieldValueInvalid", `${path}.fieldPath`, detail, field));
});

/** A name that is no DNS name when it is empty, too. */
const referredName: Check = (value, path, problems) => {
  const name = (value as Fields).name ?? "";
  if (name !== "") return subdomain(name, `${path}.name`, problems);
  const found: Parameters<Check>[2] = [];
  subdomain("-", `${path}.name`, found);
  problems.push(...found.map((problem) => ({ ...problem, message: problem.message.replace('"-"', '""') })));
};

const keyOfMap = all(referredName, needs(["key"]));

/** Where the value of a variable comes from. */
export const variableSource: Check = all(
  fields({
    fieldRef: fieldPath,
    resourceFieldRef: fields({
      resource: oneOf(
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
      ),
    }),
    configMapKeyRef: keyOfMap,
    secretKeyRef: keyOfMap,
  }),
  (value, path, problems) => {
    if (Object.keys(value as Fields).length < 2) return;
    problems.push(fieldProblem("FieldValueInvalid", path, "may not have more than one field specified at a time", ""));
  },
);

const variables: Check = (value, path, problems) => {
  for (const [index, source] of listAt(value).entries()) {
    const given = ["configMapRef", "secretRef"].filter((name) => isFields(source[name]));
    namesOfSource(source, `${path}[${index}]`, problems);
    if (given.length === 1) continue;
    const many = "may not have more than one field specified at a time";
    const detail = given.length === 0 ? "must specify one of: `configMapRef` or `secretRef`" : many;
    problems.push(fieldProblem("FieldValueInvalid", path, detail, ""));
  }
};

const namesOfSource = fields({
  prefix: unless((value) => /^[ -<>-~]*$/.test(asText(value)), variableText),
  configMapRef: all(needs(["name"]), fields({ name: subdomain })),
  secretRef: all(needs(["name"]), fields({ name: subdomain })),
});

const relative: Check = (value, path, problems) => {
  const text = asText(value);
  const detail = text.startsWith("/")
    ? "must be a relative path"
    : text.split("/").includes("..") && "must not contain '..'";
  if (detail !== false) problems.push(fieldProblem("FieldValueInvalid", path, detail, value));
};

/** Places of mounts: every one once. */
const mounts: Check = (value, path, problems) => {
  const seen = new Set<unknown>();
  for (const [index, { mountPath, subPath }] of listAt(value).entries()) {
    if (seen.has(mountPath)) {
      problems.push(fieldProblem("FieldValueInvalid", `${path}[${index}].mountPath`, "must be unique", mountPath));
    }
    seen.add(mountPath);
    // Kubernetes leaves out the number here.
    if (subPath !== undefined) relative(subPath, `${path}.subPath`, problems);
  }
};

const hostPorts: Check = (value, path, problems) => {
  const seen = new Set<string>();
  for (const [index, { hostPort, protocol, hostIP }] of listAt(value).entries()) {
    if (typeof hostPort !== "number" || hostPort === 0) continue;
    const key = `${asText(protocol)}/${asText(hostIP)}/${hostPort}`;
    if (seen.has(key)) problems.push(fieldProblem("FieldValueDuplicate", `${path}[${index}].hostPort`, "", key));
    seen.add(key);
  }
};

export const seccomp: Check = (value, path, problems) => {
  const { type, localhostProfile } = value as Fields;
  const at = `${path}.localhostProfile`;
  if (type === "Localhost" && localhostProfile === undefined) {
    problems.push(fieldProblem("FieldValueRequired", at, "must be set when seccomp type is Localhost"));
  }
  if (type === "Localhost" || localhostProfile === undefined) return;
  const shown = { Type: type, LocalhostProfile: localhostProfile };
  problems.push(fieldProblem("FieldValueInvalid", at, "can only be set when seccomp type is Localhost", shown));
};

const lifecycle = fields({ postStart: handler, preStop: handler });

/** What else a container says, beyond its name and image. */
export const containerFields: Check = all(
  fields({
    ports: all(items(fields({ name: portName, hostPort: port })), hostPorts),
    envFrom: variables,
    env: items(fields({ valueFrom: variableSource })),
    volumeMounts: mounts,
    livenessProbe: all(probe, once),
    readinessProbe: all(probe, fields({ terminationGracePeriodSeconds: never("must not be set for readinessProbes") })),
    startupProbe: all(probe, once),
    lifecycle,
    resources: containerResources,
    restartPolicy: oneOf("Always", "Never", "OnFailure"),
    terminationMessagePolicy: oneOf("File", "FallbackToLogsOnError"),
    securityContext: fields({ runAsUser: id, runAsGroup: id, seccompProfile: seccomp }),
  }),
);

const onlySidecars = (name: string): Check =>
  forbidden(
    (container) => container[name] !== undefined && container.restartPolicy !== "Always",
    name,
    "may not be set for init containers without restartPolicy=Always",
  );

/** What containers that end can't have. */
export const initFields: Check = all(
  ...["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].map(onlySidecars),
);

const mode = unless(
  (value) => typeof value !== "number" || (value >= 0 && value <= 0o777),
  "must be a number between 0 and 0777 (octal), both inclusive",
);
const files = fields({
  defaultMode: mode,
  items: items(all(needs(["key", "path"]), fields({ path: relative, mode }))),
});

const typesOf = (volume: Fields): readonly string[] => Object.keys(volume).filter((type) => isFields(volume[type]));

/** The source of a volume: one at most. */
export const volumeFields: Check = all(
  (value, path, problems) => {
    for (const type of typesOf(value as Fields).slice(1)) {
      const detail = "may not specify more than 1 volume type";
      problems.push(fieldProblem("FieldValueForbidden", `${path}.${type}`, detail));
    }
  },
  fields({
    hostPath: all(
      needs(["path"]),
      fields({ path: unless((value) => !asText(value).split("/").includes(".."), "must not contain '..'") }),
    ),
    configMap: files,
    secret: files,
    emptyDir: forbidden(
      ({ sizeLimit }) => asText(sizeLimit).startsWith("-"),
      "sizeLimit",
      "SizeLimit field must be a valid resource quantity",
    ),
    csi: needs(["driver"]),
    ephemeral: needs(["volumeClaimTemplate"]),
    nfs: needs(["server", "path"]),
    projected: fields({
      sources: items(
        fields({
          serviceAccountToken: all(
            needs(["path"]),
            fields({
              expirationSeconds: unless(
                (value) => typeof value !== "number" || value >= 600,
                "may not specify a duration less than 10 minutes",
              ),
            }),
          ),
          configMap: all(needs(["name"]), files),
          secret: all(needs(["name"]), files),
        }),
      ),
    }),
  }),
);

export const deadline = between(1, 2_147_483_647);
