import type { AnyObject } from "@kyma-operators/kube";
import type { Objects } from "../controllers/objects.ts";
import { type Fields, isFields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { equal } from "../resources/resource.ts";
import { controlledBy, controlledObjects, runController } from "./controller.ts";
import { isReady, isTerminating } from "./pod-state.ts";
import { nodeName } from "./pods.ts";

const services = "/services";
const slices = "discovery.k8s.io/endpointslices";

/** Keeps an EndpointSlice and an Endpoints object for each Service with a selector, and the addresses of load balancers. */
export function runEndpointController(objects: Objects): () => void {
  return runController(objects, {
    collection: services,
    kind: "Service",
    owned: [slices],
    related: { collection: "/pods", isFor: selects },
    sync: async (service) => {
      if (service.metadata.deletionTimestamp !== undefined) return undefined;
      await ensureLoadBalancer(objects, service);
      if (selectorOf(service) === undefined) return undefined;
      const pods = objects
        .list("/pods", service.metadata.namespace)
        .filter((pod) => selects(service, pod) && valueAt(pod, "status", "podIP") !== undefined && !isTerminating(pod));
      await ensureSlice(objects, service, pods);
      await ensureEndpoints(objects, service, pods);
      return undefined;
    },
  });
}

/** The labels that a Service asks for; absent when somebody else keeps its endpoints. */
function selectorOf(service: AnyObject): Fields | undefined {
  const selector = valueAt(service, "spec", "selector");
  return isFields(selector) && Object.keys(selector).length > 0 ? selector : undefined;
}

function selects(service: AnyObject, { metadata: { labels = {} } }: AnyObject): boolean {
  const selector = selectorOf(service);
  return selector !== undefined && Object.entries(selector).every(([label, value]) => labels[label] === value);
}

/** The port number of a Service's port on a Pod: a number, or the name of a container's port. */
function targetPort(port: Fields, pod: AnyObject | undefined): unknown {
  if (typeof port.targetPort === "number") return port.targetPort;
  const ports = listAt(pod, "spec", "containers").flatMap((container) => listAt(container, "ports"));
  return ports.find(({ name }) => name === port.targetPort)?.containerPort ?? port.port;
}

function portsOf(service: AnyObject, pod: AnyObject | undefined): readonly Fields[] {
  return listAt(service, "spec", "ports").map((port) => ({
    name: port.name ?? "",
    port: targetPort(port, pod),
    protocol: port.protocol ?? "TCP",
    ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
  }));
}

const podReference = ({ metadata }: AnyObject): Fields => ({
  kind: "Pod",
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
});

async function ensureSlice(objects: Objects, service: AnyObject, pods: readonly AnyObject[]): Promise<void> {
  const content = {
    addressType: "IPv4",
    endpoints: pods.map((pod) => ({
      addresses: [valueAt(pod, "status", "podIP")],
      conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
      nodeName,
      targetRef: podReference(pod),
    })),
    ports: pods.length === 0 ? [] : portsOf(service, pods[0]),
  };
  const [slice] = controlledObjects(objects, slices, service);
  if (slice !== undefined) {
    if (!equal(pickSlice(slice), content))
      await objects.change(slices, slice, (current) => ({ ...current, ...content }));
    return;
  }
  const { name = "", namespace = "" } = service.metadata;
  await objects.create(slices, {
    ...content,
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        "kubernetes.io/service-name": name,
      },
      ownerReferences: [controlledBy(service)],
    },
  });
}

const pickSlice = ({ addressType, endpoints, ports }: AnyObject): Fields => ({
  addressType,
  endpoints: endpoints ?? [],
  ports: ports ?? [],
});

async function ensureEndpoints(objects: Objects, service: AnyObject, pods: readonly AnyObject[]): Promise<void> {
  const addressOf = (pod: AnyObject): Fields => ({
    ip: valueAt(pod, "status", "podIP"),
    nodeName,
    targetRef: podReference(pod),
  });
  const ready = pods.filter(isReady).map(addressOf);
  const notReady = pods.filter((pod) => !isReady(pod)).map(addressOf);
  const ports = portsOf(service, pods[0]).map(({ name, ...port }) => (name === "" ? port : { name, ...port }));
  const subset = {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    ports,
  };
  const subsets = pods.length === 0 ? [] : [subset];
  const { name = "", namespace = "" } = service.metadata;
  const known = objects.get("/endpoints", namespace, name);
  if (known === undefined)
    await objects.create("/endpoints", {
      metadata: { name, namespace, ownerReferences: [controlledBy(service)] },
      subsets,
    });
  else if (!equal(known.subsets ?? [], subsets))
    await objects.change("/endpoints", known, (current) => ({ ...current, subsets }));
}

/** A load balancer has the Service's own address outside the cluster, from the range for documentation. */
async function ensureLoadBalancer(objects: Objects, service: AnyObject): Promise<void> {
  const isWanted = valueAt(service, "spec", "type") === "LoadBalancer";
  const has = listAt(service, "status", "loadBalancer", "ingress").length > 0;
  if (isWanted === has) return;
  const address = String(valueAt(service, "spec", "clusterIP"))
    .split(".")
    .at(-1);
  const ingress = [{ ip: `198.51.100.${address}`, ipMode: "VIP" }];
  await objects.changeStatus(services, service, () => ({ loadBalancer: isWanted ? { ingress } : {} }));
}
