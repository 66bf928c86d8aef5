const common = {
  rootDir: import.meta.dirname,
  testEnvironment: "node",
  testEnvironmentOptions: { customExportConditions: ["source", "node"] },
  setupFiles: ["<rootDir>/testing/fixed-seed.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { parser: { syntax: "typescript" }, target: "es2024", experimental: { keepImportAttributes: true } },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
  // Workspace packages are linked into node_modules; their real path lies outside, so they are transformed.
  transformIgnorePatterns: ["/node_modules/"],
  modulePathIgnorePatterns: ["/dist/", "/.local/", "/.cache/"],
};

const suite = (displayName, testMatch, more = {}) => ({ ...common, displayName, testMatch, ...more });

/** `make test` runs `unit`; `make cases`, `make conformance` and `make e2e` select theirs. */
export default {
  maxWorkers: 2,
  testTimeout: 30_000,
  projects: [
    suite("unit", [
      "<rootDir>/{apis,apiserver,bench,cli,cmd,controllers,dashboard,local,modules,packages,testing,hack}/**/*.test.ts",
    ]),
    suite("cases", ["<rootDir>/cases/**/*.test.ts"]),
    suite("conformance", ["<rootDir>/e2e/conformance/**/*.test.ts"]),
    suite("e2e", ["<rootDir>/e2e/*.test.ts", "<rootDir>/e2e/{docs,stories}/**/*.test.ts", "<rootDir>/cmd/*.e2e.ts"]),
  ],
};
