import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { validateLabels } from "../metadata.ts";
import { isDns1123Label, isDns1123Subdomain } from "../names.ts";
import type { Strategy, StrategyContext } from "../resource.ts";
import { portName, problemsOf } from "./checks.ts";
import { asText, type Fields, isFields, listAt } from "./edit.ts";
import { ingress } from "./network-checks.ts";
import { duplicateNames, isPort, portProblem } from "./pod-validation.ts";
import { serviceFields } from "./service-checks.ts";

const loadBalancer = { status: { loadBalancer: {} } };
const firstNodePort = 30_000;
const lastNodePort = 32_767;

/** Services get a cluster address and node ports; Ingresses start without an address. */
export const serviceStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "/services": {
    prepareCreate: (service, context) => ({ ...allocate(service, context), ...loadBalancer }),
    prepareUpdate: (next, old, context) => allocate(keepAddress(next, old), context),
    validate: validateService,
  },
  "networking.k8s.io/ingresses": {
    prepareCreate: (ingress) => ({ ...ingress, ...loadBalancer }),
    validate: ({ spec }) => {
      const { rules, defaultBackend } = isFields(spec) ? spec : {};
      if (Array.isArray(rules) || isFields(defaultBackend)) return problemsOf(ingress, spec, "spec");
      return [fieldProblem("FieldValueInvalid", "spec", "either `defaultBackend` or `rules` must be specified", null)];
    },
  },
};

function keepAddress(next: AnyObject, old: AnyObject): AnyObject {
  const spec = next.spec as Fields;
  const before = old.spec as Fields;
  if (spec.type === "ExternalName" || before.type === "ExternalName") return next;
  const kept = Object.fromEntries(
    ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"]
      .filter((name) => spec[name] === undefined && before[name] !== undefined)
      .map((name) => [name, before[name]]),
  );
  return { ...next, spec: { ...spec, ...kept, ports: keepNodePorts(spec, before) } };
}

function keepNodePorts(spec: Fields, before: Fields): unknown {
  if (!hasNodePorts(spec)) return spec.ports;
  const known = new Map(listAt(before, "ports").map((port) => [portKey(port), port.nodePort]));
  return listAt(spec, "ports").map((port) => {
    const nodePort = port.nodePort ?? known.get(portKey(port));
    return nodePort === undefined ? port : { ...port, nodePort };
  });
}

function allocate(service: AnyObject, context: StrategyContext): AnyObject {
  const spec = service.spec as Fields;
  if (spec.type === "ExternalName") return service;
  const clusterIP = isText(spec.clusterIP) ? spec.clusterIP : freeAddress(context);
  const ports = spec.ports === undefined ? {} : { ports: withNodePorts(spec, context) };
  return {
    ...service,
    spec: { ...spec, clusterIP, clusterIPs: addressesOf(spec, clusterIP), ...familiesOf(spec), ...ports },
  };
}

function addressesOf({ clusterIPs }: Fields, clusterIP: string): unknown {
  return Array.isArray(clusterIPs) && clusterIPs[0] === clusterIP ? clusterIPs : [clusterIP];
}

/** Nobody knows which addresses somebody will write for a headless Service without selector. */
function familiesOf({ clusterIP, selector, ipFamilies, ipFamilyPolicy }: Fields): Fields {
  const isOpen = clusterIP === "None" && !isFields(selector);
  return {
    ipFamilies: ipFamilies ?? (isOpen ? ["IPv4", "IPv6"] : ["IPv4"]),
    ipFamilyPolicy: ipFamilyPolicy ?? (isOpen ? "RequireDualStack" : "SingleStack"),
  };
}

const portKey = ({ protocol, port }: Fields): string => `${asText(protocol)}/${asText(port)}`;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const hasNodePorts = ({ type }: Fields): boolean => type === "NodePort" || type === "LoadBalancer";

/** The first address of 10.96.0.0/12 that no Service has; .1 is the API server's own. */
function freeAddress(context: StrategyContext): string {
  const used = new Set(context.list("/services").map(({ spec }) => (isFields(spec) ? spec.clusterIP : undefined)));
  for (let index = 10; ; index += 1) {
    const address = `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    if (!used.has(address)) return address;
  }
}

function withNodePorts(spec: Fields, context: StrategyContext): readonly Fields[] {
  const ports = listAt(spec, "ports");
  if (!hasNodePorts(spec) || spec.allocateLoadBalancerNodePorts === false) return ports;
  const used = new Set(
    context.list("/services").flatMap(({ spec: other }) => listAt(other, "ports").map(({ nodePort }) => nodePort)),
  );
  let next = firstNodePort;
  return ports.map((port) => {
    if (typeof port.nodePort === "number" && port.nodePort > 0) return port;
    while (used.has(next)) next += 1;
    used.add(next);
    return { ...port, nodePort: next };
  });
}

function validateService(service: AnyObject, old: AnyObject | undefined): readonly FieldProblem[] {
  const spec = service.spec as Fields;
  const ports = listAt(spec, "ports");
  const headless = spec.clusterIP === "None" || spec.type === "ExternalName";
  const problems = ports.length === 0 && !headless ? [fieldProblem("FieldValueRequired", "spec.ports", "")] : [];
  return [
    ...problems,
    ...ports.flatMap((port, index) => validatePort(port, index, spec)),
    ...duplicateNames(ports, "spec.ports"),
    ...validateLabels(isFields(spec.selector) ? spec.selector : {}, "spec.selector"),
    ...validateExternalName(spec),
    ...problemsOf(serviceFields, spec, "spec"),
    ...validateAddress(spec, old),
  ];
}

function validatePort(port: Fields, index: number, spec: Fields): readonly FieldProblem[] {
  const path = `spec.ports[${index}]`;
  const { targetPort } = port;
  return [
    ...validatePortName(port, `${path}.name`, listAt(spec, "ports").length),
    ...(isPort(port.port) ? [] : [portProblem(`${path}.port`, port.port)]),
    ...(typeof targetPort !== "number" || isPort(targetPort) ? [] : [portProblem(`${path}.targetPort`, targetPort)]),
    ...(typeof targetPort === "string" ? problemsOf(portName, targetPort, `${path}.targetPort`) : []),
    ...validateNodePort(port, `${path}.nodePort`, spec),
  ];
}

function validatePortName({ name }: Fields, path: string, count: number): readonly FieldProblem[] {
  if (!isText(name)) return count > 1 ? [fieldProblem("FieldValueRequired", path, "")] : [];
  return isDns1123Label(name).map((text) => fieldProblem("FieldValueInvalid", path, text, name));
}

function validateNodePort({ nodePort = 0 }: Fields, path: string, spec: Fields): readonly FieldProblem[] {
  if (nodePort === 0) return [];
  if (spec.type === "ClusterIP") {
    return [fieldProblem("FieldValueForbidden", path, "may not be used when `type` is 'ClusterIP'")];
  }
  if (typeof nodePort !== "number" || (nodePort >= firstNodePort && nodePort <= lastNodePort)) return [];
  const detail = `provided port is not in the valid range. The range of valid ports is ${firstNodePort}-${lastNodePort}`;
  return [fieldProblem("FieldValueInvalid", path, detail, nodePort)];
}

function validateExternalName({ type, externalName }: Fields): readonly FieldProblem[] {
  if (type !== "ExternalName") return [];
  const path = "spec.externalName";
  if (!isText(externalName)) return [fieldProblem("FieldValueRequired", path, "")];
  const name = externalName.replace(/\.$/, "");
  return isDns1123Subdomain(name).map((text) => fieldProblem("FieldValueInvalid", path, text, externalName));
}

function validateAddress(spec: Fields, old: AnyObject | undefined): readonly FieldProblem[] {
  const before = old === undefined ? undefined : (old.spec as Fields).clusterIP;
  const mayChange = !isText(before) || spec.type === "ExternalName" || before === spec.clusterIP;
  if (mayChange) return [];
  const value = spec.clusterIPs ?? [spec.clusterIP];
  return [fieldProblem("FieldValueInvalid", "spec.clusterIPs[0]", "may not change once set", value)];
}
