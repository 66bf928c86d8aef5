import { deepEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { definitionsIn } from "./definitions.ts";

const definition = "kind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n";

describe("definitionsIn", () => {
  test("reads all documents of a file", () => {
    const names = definitionsIn("crds.yaml", `${definition}---\n---\n${definition}`).map(
      ({ metadata }) => metadata.name,
    );
    deepEqual(names, ["things.example.com", "things.example.com"]);
    deepEqual(definitionsIn("crds.yaml", ""), []);
  });
  test("says what it found instead", () => {
    const refusals: Readonly<Record<string, RegExp>> = {
      rubbish: /^crds.yaml: expected CustomResourceDefinitions, found a string; /,
      "[1]": /found an object of kind none; /,
      "kind: ConfigMap": /found an object of kind ConfigMap; /,
      "kind: CustomResourceDefinition": /found an object of kind CustomResourceDefinition without metadata.name; /,
    };
    for (const [text, message] of Object.entries(refusals)) {
      throws(() => definitionsIn("crds.yaml", text), { message });
    }
  });
});
