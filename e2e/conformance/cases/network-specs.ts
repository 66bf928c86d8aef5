import type { ConformanceCase } from "../case.ts";
import { changed, refusals, specs } from "./refusals.ts";

/** What Services, Ingresses and NetworkPolicies may not say. */
export const networkSpecs: readonly ConformanceCase[] = [
  ...refusals(
    "Service",
    "/api/v1/namespaces/{ns}/services",
    changed(
      { ports: [{ port: 80 }] },
      {
        "clusterIP bad": { clusterIP: "x" },
        "etp on clusterip": { externalTrafficPolicy: "Local" },
        "etp bad": { type: "NodePort", externalTrafficPolicy: "X" },
        "itp bad": { internalTrafficPolicy: "X" },
        affinity: { sessionAffinity: "X" },
        "affinity timeout": { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
        type: { type: "X" },
        "nodePort range": { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] },
        protocol: { ports: [{ port: 80, protocol: "HTTP" }] },
        "targetPort text": { ports: [{ port: 80, targetPort: "A b" }] },
        "two same ports": {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 80 },
          ],
        },
        externalIPs: { externalIPs: ["x"] },
        lbsr: { type: "LoadBalancer", loadBalancerSourceRanges: ["x"] },
        "lbsr on clusterip": { loadBalancerSourceRanges: ["10.0.0.0/8"] },
        "lbclass on clusterip": { loadBalancerClass: "a/b" },
        "None NodePort": { type: "NodePort", clusterIP: "None" },
        "ext with clusterIP": { type: "ExternalName", externalName: "a.b", clusterIP: "10.0.0.9" },
        ipFamilyPolicy: { ipFamilyPolicy: "X" },
        "ipFamilyPolicy dual": { ipFamilyPolicy: "RequireDualStack" },
        ipv6: { ipFamilies: ["IPv6"] },
        appProtocol: { ports: [{ port: 80, appProtocol: "a b" }] },
        healthCheckNodePort: { healthCheckNodePort: 31000 },
        "no ports": { ports: [] },
      },
    ),
  ),
  ...refusals(
    "NetworkPolicy",
    "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
    specs({
      cidr: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "x" } }] }] },
      "cidr none": { podSelector: {}, ingress: [{ from: [{ ipBlock: {} }] }] },
      except: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/8"] } }] }] },
      "except bad": { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["x"] } }] }] },
      both: { podSelector: {}, ingress: [{ from: [{ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }] }] },
      "empty peer": { podSelector: {}, ingress: [{ from: [{}] }] },
      port: { podSelector: {}, ingress: [{ ports: [{ port: 0 }] }] },
      "port text": { podSelector: {}, ingress: [{ ports: [{ port: "A b" }] }] },
      endPort: { podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 70 }] }] },
      "endPort noport": { podSelector: {}, ingress: [{ ports: [{ endPort: 70 }] }] },
      protocol: { podSelector: {}, ingress: [{ ports: [{ port: 80, protocol: "X" }] }] },
      types: { podSelector: {}, policyTypes: ["X"] },
      "types 3": { podSelector: {}, policyTypes: ["Ingress", "Egress", "Ingress"] },
      selector: { podSelector: { matchLabels: { "a b": "c" } } },
      "host bits": { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.1.2.3/8" } }] }] },
    }),
  ),
  ...refusals(
    "Ingress",
    "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
    specs({
      "no pathType": {
        rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "x", port: { number: 80 } } } }] } }],
      },
      pathType: {
        rules: [
          {
            http: { paths: [{ path: "/", pathType: "X", backend: { service: { name: "x", port: { number: 80 } } } }] },
          },
        ],
      },
      "path rel": {
        rules: [
          {
            http: {
              paths: [{ path: "x", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
      },
      "path //": {
        rules: [
          {
            http: {
              paths: [{ path: "/a//b", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
      },
      "path none": {
        rules: [
          { http: { paths: [{ pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }] } },
        ],
      },
      "no backend": { rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend: {} }] } }] },
      "no port": {
        rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x" } } }] } }],
      },
      "two ports": {
        rules: [
          {
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80, name: "a" } } } },
              ],
            },
          },
        ],
      },
      "svc name": {
        rules: [
          {
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "X y", port: { number: 80 } } } }],
            },
          },
        ],
      },
      "svc port 0": {
        rules: [
          {
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 99999 } } } }],
            },
          },
        ],
      },
      "host caps": {
        rules: [
          {
            host: "A.b",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
      },
      "host ip": {
        rules: [
          {
            host: "1.2.3.4",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
      },
      "host star": {
        rules: [
          {
            host: "*.*.x",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
      },
      "no paths": { rules: [{ http: { paths: [] } }] },
      "tls host": {
        rules: [
          {
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
        tls: [{ hosts: ["A b"] }],
      },
      class: {
        rules: [
          {
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "x", port: { number: 80 } } } }],
            },
          },
        ],
        ingressClassName: "A b",
      },
    }),
  ),
];
