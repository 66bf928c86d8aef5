import { all, defaults, derived, type Edit, each, type Fields, inside, isFields, when, within } from "./edit.ts";

/** An image without a tag, or with `latest`, is always pulled. */
function pullPolicy({ image }: Fields): string {
  const name = typeof image === "string" ? image : "";
  const rest = name.slice(name.lastIndexOf("/") + 1);
  if (rest.includes("@")) return "IfNotPresent";
  const tag = rest.split(":")[1] ?? "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

const httpGet = inside("httpGet", defaults({ path: "/", scheme: "HTTP" }));
const probe = all(
  httpGet,
  inside("grpc", defaults({ service: "" })),
  defaults({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
);

/** What is limited and not requested is requested up to the limit. */
const requests: Edit = (resources) => {
  if (!isFields(resources.limits)) return resources;
  const missing = Object.entries(resources.limits).filter(
    ([name]) => !isFields(resources.requests) || resources.requests[name] === undefined,
  );
  if (missing.length === 0) return resources;
  return {
    ...resources,
    requests: { ...(isFields(resources.requests) ? resources.requests : {}), ...Object.fromEntries(missing) },
  };
};

const container = all(
  defaults({ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" }),
  derived("imagePullPolicy", pullPolicy),
  within("resources", requests),
  each("ports", defaults({ protocol: "TCP" })),
  each(
    "env",
    inside(
      "valueFrom",
      inside("fieldRef", defaults({ apiVersion: "v1" })),
      inside("resourceFieldRef", defaults({ divisor: "0" })),
    ),
  ),
  inside("livenessProbe", probe),
  inside("readinessProbe", probe),
  inside("startupProbe", probe),
  inside("lifecycle", inside("postStart", httpGet), inside("preStop", httpGet)),
);

const fieldItems = each("items", inside("fieldRef", defaults({ apiVersion: "v1" })));
const volume = all(
  // A volume without a source is an empty directory.
  when((fields) => Object.keys(fields).filter((name) => name !== "name").length === 0, defaults({ emptyDir: {} })),
  inside("secret", defaults({ defaultMode: 420 })),
  inside("configMap", defaults({ defaultMode: 420 })),
  inside("downwardAPI", defaults({ defaultMode: 420 }), fieldItems),
  inside(
    "projected",
    defaults({ defaultMode: 420 }),
    each(
      "sources",
      inside("serviceAccountToken", defaults({ expirationSeconds: 3600 })),
      inside("downwardAPI", fieldItems),
    ),
  ),
  inside("hostPath", defaults({ type: "" })),
  inside("ephemeral", inside("volumeClaimTemplate", within("spec", defaults({ volumeMode: "Filesystem" })))),
);

/** Ports of a Pod on the host's network are the host's. */
const hostPorts: Edit = when(
  ({ hostNetwork }) => hostNetwork === true,
  each(
    "containers",
    each(
      "ports",
      derived("hostPort", ({ containerPort }) => containerPort),
    ),
  ),
  each(
    "initContainers",
    each(
      "ports",
      derived("hostPort", ({ containerPort }) => containerPort),
    ),
  ),
);

/** A negative time to end means one second. */
const graceFromOne: Edit = (spec) => {
  const { terminationGracePeriodSeconds: seconds } = spec;
  return typeof seconds === "number" && seconds < 0 ? { ...spec, terminationGracePeriodSeconds: 1 } : spec;
};

/** `spec` of a Pod, also inside a template. */
export const podSpecDefaults: Edit = all(
  graceFromOne,
  defaults({
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  }),
  derived("serviceAccountName", ({ serviceAccount }) => serviceAccount),
  derived("serviceAccount", ({ serviceAccountName }) => serviceAccountName),
  hostPorts,
  each("containers", container),
  each("initContainers", container),
  each("ephemeralContainers", container),
  each("volumes", volume),
  each("topologySpreadConstraints", defaults({})),
);

/** `template` of a workload. */
export const templateDefaults: Edit = within("template", within("metadata"), within("spec", podSpecDefaults));
