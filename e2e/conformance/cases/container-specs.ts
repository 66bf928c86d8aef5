import type { ConformanceCase } from "../case.ts";
import { refusals, specs } from "./refusals.ts";

const faults: Readonly<Record<string, object>> = {
  "negative cpu": { resources: { requests: { cpu: "-1" } } },
  "negative limit": { resources: { limits: { memory: "-1Mi" } } },
  "unknown resource": { resources: { limits: { foo: "1" } } },
  "unknown resource request": { resources: { requests: { gpu: "1" } } },
  "bad resource name": { resources: { limits: { "a b": "1" } } },
  "extended fraction": { resources: { limits: { "x.y/z": "500m" } } },
  "extended request only": { resources: { requests: { "x.y/z": "1" } } },
  "extended unequal": { resources: { requests: { "x.y/z": "1" }, limits: { "x.y/z": "2" } } },
  "req>lim": { resources: { requests: { cpu: "2", memory: "2Gi" }, limits: { cpu: "1", memory: "1Gi" } } },
  "cpu fine": { resources: { requests: { cpu: "0.0001" } } },
  "hugepages alone": { resources: { limits: { "hugepages-2Mi": "2Mi" } } },
  storage: { resources: { limits: { storage: "1Gi" } } },
  pods: { resources: { limits: { pods: "1" } } },
  "requests.cpu": { resources: { limits: { "requests.cpu": "1" } } },
  "runAsUser -1": { securityContext: { runAsUser: -1 } },
  "runAsGroup -1": { securityContext: { runAsGroup: -1 } },
  procMount: { securityContext: { procMount: "Foo" } },
  "cap sys admin no esc": {
    securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["SYS_ADMIN"] } },
  },
  "seccomp localhost no profile": { securityContext: { seccompProfile: { type: "Localhost" } } },
  "seccomp bad": { securityContext: { seccompProfile: { type: "X" } } },
  "seccomp runtime with profile": {
    securityContext: { seccompProfile: { type: "RuntimeDefault", localhostProfile: "x" } },
  },
  "envFrom nothing": { envFrom: [{}] },
  "envFrom prefix": { envFrom: [{ prefix: "a=b", configMapRef: { name: "x" } }] },
  "envFrom both": { envFrom: [{ configMapRef: { name: "x" }, secretRef: { name: "x" } }] },
  "envFrom noname": { envFrom: [{ configMapRef: {} }] },
  "env cm no key": { env: [{ name: "x", valueFrom: { configMapKeyRef: { name: "a" } } }] },
  "env secret no name": { env: [{ name: "x", valueFrom: { secretKeyRef: { key: "a" } } }] },
  "env field bad": { env: [{ name: "x", valueFrom: { fieldRef: { fieldPath: "spec.foo" } } }] },
  "env field none": { env: [{ name: "x", valueFrom: { fieldRef: { fieldPath: "" } } }] },
  "env resource bad": { env: [{ name: "x", valueFrom: { resourceFieldRef: { resource: "limits.foo" } } }] },
  "env two sources": {
    env: [
      { name: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "a", key: "b" } } },
    ],
  },
  "port proto": { ports: [{ containerPort: 1, protocol: "HTTP" }] },
  "port name caps": { ports: [{ name: "A", containerPort: 1 }] },
  "port name long": { ports: [{ name: "abcdefghijklmnopqrst", containerPort: 1 }] },
  "port name digits": { ports: [{ name: "80", containerPort: 1 }] },
  "port none": { ports: [{ name: "a" }] },
  "host port": { ports: [{ hostPort: 99999, containerPort: 1 }] },
  "host port neg": { ports: [{ hostPort: -1, containerPort: 1 }] },
  "two same host ports": {
    ports: [
      { hostPort: 80, containerPort: 1 },
      { hostPort: 80, containerPort: 2 },
    ],
  },
  "probe two handlers": { livenessProbe: { exec: { command: ["a"] }, tcpSocket: { port: 1 } } },
  "probe http no port": { livenessProbe: { httpGet: { path: "/" } } },
  "probe http bad port": { livenessProbe: { httpGet: { path: "/", port: 99999 } } },
  "probe http port name": { livenessProbe: { httpGet: { path: "/", port: "A B" } } },
  "probe http scheme": { livenessProbe: { httpGet: { port: 1, scheme: "ftp" } } },
  "probe negative": {
    livenessProbe: {
      tcpSocket: { port: 1 },
      initialDelaySeconds: -1,
      periodSeconds: -2,
      timeoutSeconds: -1,
      failureThreshold: -1,
    },
  },
  "probe liveness success 2": { livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } },
  "probe readiness grace": { readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 2 } },
  "probe exec empty": { livenessProbe: { exec: { command: [] } } },
  "lifecycle none": { lifecycle: { preStop: {} } },
  "mounts same path": {
    volumeMounts: [
      { name: "v", mountPath: "/a" },
      { name: "v", mountPath: "/a" },
    ],
  },
  "mount subPath abs": { volumeMounts: [{ name: "v", mountPath: "/a", subPath: "/x" }] },
  "mount subPath ..": { volumeMounts: [{ name: "v", mountPath: "/a", subPath: "../x" }] },
  "mount colon": { volumeMounts: [{ name: "v", mountPath: "/a:b" }] },
  "workingDir ok": { workingDir: "x" },
  terminationMessagePolicy: { terminationMessagePolicy: "X" },
  "name caps": { name: "C" },
  "restartPolicy never on normal": { restartPolicy: "Foo" },
};
const containers = Object.entries(faults).map(([fault, fields]) => [
  fault,
  { containers: [{ name: "c", image: "i", ...fields }] },
]);

/** What containers may not say. */
export const containerSpecs: readonly ConformanceCase[] = refusals(
  "container",
  "/api/v1/namespaces/{ns}/pods",
  specs(Object.fromEntries(containers) as Record<string, object>),
);
