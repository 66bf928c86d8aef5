import { normalisations } from "@kyma-operators/ocm";
import { Option } from "commander";

/** `--normalisation jsonNormalisation/v1|v2|v3`. */
export function normalisationOption(standard: (typeof normalisations)[number]): Option {
  return new Option("--normalisation <name>", "how the descriptor becomes the text that is hashed")
    .choices([...normalisations])
    .default(standard);
}
