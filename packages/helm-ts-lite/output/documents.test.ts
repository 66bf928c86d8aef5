import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { sortPieces, splitFiles } from "./documents.ts";
import { formatRendered } from "./print.ts";

const sorted = (text: string, compat: 3 | 4 = 4): ReturnType<typeof sortPieces> =>
  sortPieces(splitFiles(new Map([["app/templates/a.yaml", text]]), 10), compat);

const kinds = (text: string): string[] => sorted(text).documents.map(({ kind }) => kind);

describe("the head of a document", () => {
  test("has names in any letter case, of which later spellings win", () => {
    deepEqual(kinds("Kind: Service\n---\nKIND: Namespace"), ["Namespace", "Service"]);
    deepEqual(kinds("kind: a\nKind: b"), ["a"]);
    deepEqual(kinds("kind: null\nKind: b"), ["b"]);
    equal(sorted("METADATA: {Annotations: {helm.sh/hook: test}}\nmetadata: {name: b}").hooks[0]?.name, "b");
    equal(sorted("METADATA: {Annotations: {helm.sh/hook: test}}\nmetadata: null").hooks.length, 0);
  });

  test("takes numbers and bools for texts", () => {
    const [document] = sorted("apiVersion: 1.10\nkind: true\nmetadata: {name: 12}").documents;
    deepEqual([document?.apiVersion, document?.kind, document?.name], ["1.1", "true", "12"]);
  });

  test("may be empty", () => {
    for (const text of ["{}", "null", "# nothing", "metadata: {annotations: {}}", "metadata:\n  annotations:"]) {
      deepEqual(kinds(text), [""], text);
    }
  });

  const metadata = 'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }';
  const wrong = {
    "Kind: [1]": "array into Go struct field SimpleHead.kind of type string",
    "kind: {}\napiVersion: []": "array into Go struct field SimpleHead.apiVersion of type string",
    "metadata: 1": `number into Go struct field SimpleHead.metadata of type ${metadata}`,
    "metadata: {annotations: {b: {}, a: [1]}, name: {}}":
      "array into Go struct field .metadata.annotations of type string",
    "metadata: {name: {}}": "object into Go struct field .metadata.name of type string",
    "metadata: {annotations: true}": "bool into Go struct field .metadata.annotations of type map[string]string",
    "[a]": "array into Go value of type util.SimpleHead",
  };
  for (const [text, reason] of Object.entries(wrong)) {
    test(`of a wrong type is refused: ${JSON.stringify(text)}`, () => {
      throws(() => sorted(text), {
        code: "HELM_RENDER",
        message: `YAML parse error on app/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${reason}`,
      });
    });
  }

  test("is named otherwise by helm 3", () => throws(() => sorted("a", 3), /Go value of type releaseutil\.SimpleHead/));
});

describe("hooks", () => {
  const hook = (annotations: string): string => `kind: Job\nmetadata: {name: j, annotations: {${annotations}}}\n`;

  test("with an unknown event are left out and told", () => {
    const { documents, hooks, skipped } = sorted(hook("helm.sh/hook: 'pre-install,nope'"));
    deepEqual([documents.length, hooks.length, skipped], [0, 0, ["pre-install,nope"]]);
  });

  test("weigh nothing when the weight is no number of 64 bits", () => {
    for (const weight of ["'99999999999999999999'", "1.5", "heavy", "''"]) {
      equal(sorted(hook(`helm.sh/hook: test, helm.sh/hook-weight: ${weight}`)).hooks[0]?.weight, 0, weight);
    }
    equal(sorted(hook("helm.sh/hook: test, helm.sh/hook-weight: '+7'")).hooks[0]?.weight, 7);
  });

  test("follow the documents in print", () => {
    const rendered = {
      ...sorted(`${hook("helm.sh/hook: test")}---\nkind: A`),
      crds: [],
      notes: new Map(),
      warnings: [],
    };
    const printed = formatRendered(rendered);
    equal(printed.indexOf("kind: A") < printed.indexOf("kind: Job"), true);
    equal(formatRendered(rendered, { skipTests: true }), "---\n# Source: app/templates/a.yaml\nkind: A\n");
  });
});
