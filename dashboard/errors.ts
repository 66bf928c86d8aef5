import { defineErrors } from "@kyma-operators/errors";

export const dashboardErrors = defineErrors("DASHBOARD", {
  /** The page would be open to everybody who reaches the address: give `--dashboard-token-file`, or bind to loopback. */
  NO_TOKEN: {
    retry: "never",
    text: (d: { bind: string }) =>
      `--dashboard-bind-address=${d.bind} can be reached from other machines: name a token with --dashboard-token-file, or listen on 127.0.0.1 only`,
  },
  /** The file with the dashboard's token can't be used: it must exist and hold one token of 16 characters or more. */
  TOKEN_FILE: {
    retry: "on-change",
    text: (d: { path: string; problem: string }) => `--dashboard-token-file=${d.path}: ${d.problem}`,
  },
});
