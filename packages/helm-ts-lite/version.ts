/** The helm release whose output this package reproduces. */
export const HELM_VERSION = "v4.1.4";
/** The helm 3 release that `compat: 3` follows. */
export const HELM3_VERSION = "v3.17.3";

/** The major version of helm to follow where the two differ. */
export type Compat = 3 | 4;
