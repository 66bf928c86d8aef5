import type { View } from "./view.ts";

/** `finalize` of a Namespace: only the finalizers of its spec change. */
export const finalizeView: View = {
  read: (object) => object,
  write: (old, input) => ({ ...old, spec: input.spec }),
  decode: () => undefined,
};
