import type { GoObject } from "./values.ts";

/** A complex number, which templates can only print. */
export function complexNumber(text: string): GoObject {
  return { goType: "complex128", goKind: "struct", goText: () => text };
}
