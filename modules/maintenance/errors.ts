import { defineErrors } from "@kyma-operators/errors";

/** Failures around maintenance windows; their texts stand in the status of modules. */
export const maintenance = defineErrors("MAINTENANCE", {
  /** The policy file cannot be used; the text after the prefix says why. */
  POLICY_INVALID: { retry: "never", text: (d: { problem: string }) => `error during unmarshal: ${d.problem}` },
  /** A rule matched, none of its windows can be used, and the default was not wanted. */
  NO_WINDOW_OF_MATCH: { retry: "on-change", text: () => "matched policies did not provide a window" },
  /** Neither a matching rule nor the default has a window that can be used. */
  NO_WINDOW: { retry: "on-change", text: () => "matches and defaults also failed to provide a window" },
  UNKNOWN_OPTION: {
    retry: "never",
    text: (d: { index: number; type: string; value: string }) => `unknown option at ${d.index}: ${d.type}/${d.value}`,
  },
});
