import { defineErrors } from "@kyma-operators/errors";

/** Where in a text something stands. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const at = (d: Position & { name: string }): string => `${d.name}, line ${d.line}, column ${d.column}`;

/** Everything that can be wrong with a YAML text. `name` says which text it was. */
export const yaml = defineErrors("YAML", {
  /** The text is not YAML. `reason` is worded as Go's YAML library words it. */
  SYNTAX: {
    retry: "never",
    text: (d: Position & { name: string; reason: string; goText: string }) => `${at(d)}: ${d.reason}`,
  },
  /** The text is YAML, but holds something that JSON cannot express or the reader does not take. */
  VALUE: {
    retry: "never",
    text: (d: Position & { name: string; reason: string; goText: string }) => `${at(d)}: ${d.reason}`,
  },
  /** The text is larger, deeper or expands to more nodes than allowed. */
  LIMIT: {
    retry: "never",
    text: (d: { name: string; limit: string; max: number }) => `${d.name}: exceeds ${d.limit} = ${d.max}`,
  },
  /** The value cannot be written as YAML. */
  UNPRINTABLE: {
    retry: "never",
    text: (d: { reason: string }) => `cannot write as YAML: ${d.reason}`,
  },
});
