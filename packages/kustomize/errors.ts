import { defineErrors } from "@kyma-operators/errors";

/** Everything that can be wrong with a kustomization. Texts say which folder, file and field. */
export const kustomizeErrors = defineErrors("KUSTOMIZE", {
  /** A folder without a kustomization file, or with several. */
  NO_KUSTOMIZATION: {
    retry: "on-change",
    text: (d: { folder: string; problem: string }) => `${d.problem} in directory '${d.folder}'`,
  },
  /** The kustomization file itself is wrong. */
  INVALID_KUSTOMIZATION: {
    retry: "on-change",
    text: (d: { file: string; problem: string }) => `${d.file}: invalid Kustomization: ${d.problem}`,
  },
  /** A field that exists in kustomize but is not served here. */
  UNSUPPORTED: {
    retry: "on-change",
    text: (d: { file: string; field: string; hint: string }) => `${d.file}: ${d.field} is not supported: ${d.hint}`,
  },
  /** A path that names nothing, the wrong kind of thing, or something outside the folder. */
  PATH: {
    retry: "on-change",
    text: (d: { file: string; path: string; problem: string }) => `${d.file}: ${d.path}: ${d.problem}`,
  },
  /** Content from elsewhere is never fetched. */
  REMOTE: {
    retry: "on-change",
    text: (d: { file: string; path: string }) =>
      `${d.file}: ${d.path} is not in this tree; remote content is never fetched, copy it beside the kustomization`,
  },
  CYCLE: {
    retry: "on-change",
    text: (d: { file: string; folder: string; visited: string }) =>
      `${d.file}: cycle detected: candidate root '${d.folder}' contains visited root '${d.visited}'`,
  },
  /** A resource file holds what is no Kubernetes object. */
  INVALID_OBJECT: {
    retry: "on-change",
    text: (d: { file: string; problem: string }) => `${d.file}: ${d.problem}`,
  },
  DUPLICATE_ID: {
    retry: "on-change",
    text: (d: { file: string; id: string }) => `${d.file}: may not add resource with an already registered id: ${d.id}`,
  },
  /** A generator can't do what it is told. */
  GENERATOR: {
    retry: "on-change",
    text: (d: { file: string; generator: string; problem: string }) => `${d.file}: ${d.generator}: ${d.problem}`,
  },
  PATCH: { retry: "on-change", text: (d: { patch: string; problem: string }) => `patch ${d.patch}: ${d.problem}` },
  /** A transformer met an object it can't change. */
  TRANSFORM: { retry: "on-change", text: (d: { what: string; problem: string }) => `${d.what}: ${d.problem}` },
  REPLACEMENT: { retry: "on-change", text: (d: { problem: string }) => `replacements: ${d.problem}` },
  LIMIT: {
    retry: "never",
    text: (d: { what: string; limit: number }) => `${d.what} exceeds the limit of ${d.limit}`,
  },
});
