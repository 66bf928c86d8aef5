import { Option } from "commander";

/** The name under which Kyma's tools sign modules and look for signatures. */
export const moduleSignature = "kyma-module-signature";

/** `--signature NAME` */
export function signatureOption(): Option {
  return new Option("--signature <name>", "name of the signature").default(moduleSignature);
}
