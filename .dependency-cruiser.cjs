/** Import directions of the house. `from` may reach what is not forbidden below; see docs/adr for the picture. */
const room = (names) => `^(${names.join("|")})/`;
const pkg = (names) => `^packages/(${names.join("|")})/`;
const test = "\\.(test|e2e)\\.ts$";

/** Forbids imports from `from` to any room but itself and those in `to`. Tests may also import testing/. */
const only = (name, from, to) => ({
  name,
  severity: "error",
  from: { path: from, pathNot: test },
  to: {
    path: "^(apis|apiserver|bench|cases|cli|cmd|controllers|dashboard|e2e|hack|local|modules|packages|testing)/",
    pathNot: to,
  },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-deep-package-imports",
      comment: "A package is entered by its index.ts.",
      severity: "error",
      from: { pathNot: "^packages/" },
      to: { path: "^packages/[^/]+/.+", pathNot: "^packages/[^/]+/index\\.ts$" },
    },
    {
      name: "no-deep-package-imports-among-packages",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/[^/]+/.+", pathNot: ["^packages/[^/]+/index\\.ts$", "^packages/$1/"] },
    },
    only("apis-import-nothing", "^apis/", room(["apis"])),
    only("modules-are-pure", "^modules/", [room(["modules", "apis"]), "^packages/"]),
    {
      name: "one-controller-never-imports-another",
      severity: "error",
      from: { path: "^controllers/([^/]+)/" },
      to: { path: "^controllers/", pathNot: "^controllers/$1/" },
    },
    only("controllers", "^controllers/", [room(["controllers", "modules", "apis"]), "^packages/"]),
    only("cli", "^cli/", [room(["cli", "modules", "apis", "local"]), "^packages/", "^controllers/runtime/shoot/"]),
    only("local", "^local/", [room(["local", "apiserver", "apis"]), "^packages/"]),
    only("dashboard", "^dashboard/", [room(["dashboard", "apis"]), "^packages/"]),
    only("apiserver", "^apiserver/", [room(["apiserver"]), "^packages/"]),
    only("cmd", "^cmd/", [
      room(["cmd", "controllers", "cli", "local", "apiserver", "dashboard", "modules", "apis"]),
      "^packages/",
    ]),
    only("testing", "^testing/", [room(["testing", "local", "apiserver", "apis"]), "^packages/"]),
    { ...only("e2e", "^e2e/", [room(["e2e", "testing"]), "^packages/"]), from: { path: "^e2e/" } },
    only("errors-import-nothing", "^packages/errors/", pkg(["errors"])),
    only("clock-imports-nothing", "^packages/clock/", pkg(["clock"])),
    only("kube", "^packages/kube/", pkg(["kube", "clock", "errors"])),
    only("runtime", "^packages/runtime/", pkg(["runtime", "kube", "errors"])),
    only("schema", "^packages/schema/", pkg(["schema", "errors"])),
    only("ssa", "^packages/ssa/", pkg(["ssa", "schema", "errors"])),
    only("yaml", "^packages/yaml/", pkg(["yaml", "errors"])),
    only("strategic-merge", "^packages/strategic-merge/", pkg(["strategic-merge", "errors"])),
    only("helm-ts-lite", "^packages/helm-ts-lite/", pkg(["helm-ts-lite", "errors", "yaml", "strategic-merge"])),
    only("kustomize", "^packages/kustomize/", pkg(["kustomize", "errors", "yaml", "strategic-merge"])),
    only("oras-js", "^packages/oras-js/", pkg(["oras-js", "errors"])),
    only("ocm", "^packages/ocm/", pkg(["ocm", "oras-js", "yaml", "errors"])),
    only("gardener", "^packages/gardener/", pkg(["gardener", "errors"])),
    {
      name: "pure-packages-do-no-io",
      comment: "Cluster facts, files and lookups are arguments.",
      severity: "error",
      from: {
        path: "^(packages/(helm-ts-lite|kustomize|ssa|schema|gardener|yaml|strategic-merge)|modules|apis)/",
        pathNot: test,
      },
      to: { dependencyTypes: ["core"], path: "^(node:)?(fs|fs/promises|net|http|https|http2|tls|child_process|dns)$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["source", "import", "node", "default"] },
  },
};
