/** The one class of the large package that people's kubeconfigs need; the bundle leaves out the rest. */
export { KubeConfig } from "@kubernetes/client-node";
