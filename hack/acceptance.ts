/**
 * `acceptance.ts [--check]`: writes docs/reference/acceptance.md, which says for every row of the specification's
 * acceptance lists which test holds it. Tests name rows in their titles: `(E017, fault 54)`. With `--check` nothing is
 * written and the exit code says whether the page is up to date.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { acceptanceNotes } from "./acceptance-notes.ts";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/reference/acceptance.md");
const rooms = [
  "apis",
  "apiserver",
  "cases",
  "cli",
  "cmd",
  "controllers",
  "e2e",
  "local",
  "modules",
  "packages",
  "testing",
];

/** The acceptance lists: a heading, how a title names a row, and the rows there are. */
interface Section {
  readonly title: string;
  readonly rows: readonly string[];
}

const span = (prefix: string, from: number, to: number, width = 0): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${String(from + index).padStart(width, "0")}`);

const sections: readonly Section[] = [
  {
    title: "End to end",
    rows: [
      ...span("E", 1, 4, 3),
      ...span("E", 10, 45, 3),
      ...span("E", 50, 77, 3),
      ...span("E", 80, 86, 3),
      ...span("E", 90, 111, 3),
      ...span("E", 120, 131, 3),
      ...span("E", 140, 150, 3),
      ...span("E", 160, 173, 3),
      ...span("E", 180, 184, 3),
      ...span("E", 190, 192, 3),
    ],
  },
  {
    title: "Integration",
    rows: [
      ...span("I", 1, 3, 3),
      ...span("I", 10, 11, 3),
      ...span("I", 15, 15, 3),
      ...span("I", 20, 33, 3),
      ...span("I", 40, 55, 3),
      ...span("I", 60, 65, 3),
      ...span("I", 70, 73, 3),
      ...span("I", 80, 94, 3),
      ...span("I", 100, 114, 3),
      ...span("I", 120, 120, 3),
    ],
  },
  { title: "API and status, units", rows: span("U", 1, 14, 3) },
  { title: "Kyma controller, units", rows: span("U", 20, 50, 3) },
  { title: "Manifest side, units", rows: span("U", 60, 91, 3) },
  { title: "Remote side, units", rows: span("U", 100, 114, 3) },
  { title: "Watcher and certificates, units", rows: span("U", 120, 140, 3) },
  { title: "Mandatory modules, units", rows: span("U", 150, 155, 3) },
  { title: "Descriptors and registry, units", rows: span("U", 160, 167, 3) },
  { title: "Maintenance windows, units", rows: span("U", 170, 175, 3) },
  { title: "Platform, units", rows: span("U", 180, 185, 3) },
  { title: "Lifecycle manager, faults that must not come back", rows: span("12.2-", 1, 47) },
  { title: "Module manager, operator level", rows: span("16.1-", 1, 13) },
  { title: "Module manager, declarative library", rows: span("16.2-", 1, 15) },
  { title: "Module manager, faults that must not come back", rows: span("fault ", 1, 61) },
  { title: "Manifest quirks", rows: span("M", 1, 15) },
  { title: "Runtimes, state machine", rows: span("F", 1, 34) },
  { title: "Runtimes, configuration of the cluster", rows: span("S", 1, 10) },
  { title: "Runtimes, kubeconfigs and registry caches", rows: span("K", 1, 10) },
  { title: "Runtimes, whole Shoots", rows: span("C", 1, 8) },
  { title: "Runtimes, single rules of the Shoot", rows: span("E", 1, 31) },
  { title: "Runtimes, providers", rows: span("P", 1, 26) },
  { title: "Runtimes, tools", rows: span("T", 1, 3) },
  { title: "Runtimes, faults worth remembering", rows: span("11-", 1, 45) },
  { title: "Command line, deploy", rows: span("10-", 1, 12) },
  { title: "Command line, behaviour", rows: span("#", 1, 74) },
  {
    title: "Lifecycle manager, reasons of events",
    rows: [
      "MetricsError",
      "UpdateSpecError",
      "UpdateStatusError",
      "PatchStatus",
      "RemoteInstallation",
      "MetadataSynchronization",
      "StatusSynchronization",
      "SetKcpKymaStateDeleting",
      "SetSkrKymaStateDeleting",
      "DeleteManifests",
      "DeleteCertificateSetup",
      "DeleteSkrWebhookResources",
      "DeleteSkrModuleTemplateCrd",
      "DeleteSkrModuleReleaseMetaCrd",
      "DeleteSkrKyma",
      "DeleteSkrKymaCrd",
      "DeleteMetrics",
      "EnsureManifestDeletion",
      "DropKymaFinalizer",
      "KymaDeletionStuck",
      "UpdateObject",
      "PatchObject",
      "AddFinalizerErr",
      "WatcherFinalizerErr",
      "WatcherGatewayNotFound",
      "WatcherStatusUpdate",
      "DeletingMandatoryModuleManifestError",
      "SettingMandatoryModuleTemplateFinalizerError",
    ],
  },
  {
    title: "Lifecycle manager, environment variables",
    rows: [
      "ENABLE_LEGACY_KYMA_DELETION",
      "GODEBUG",
      "MAINTENANCE_POLICY_PATH",
      "KLM_EXPERIMENTAL_KNOWN_MANAGERS",
      "KLM_EXPERIMENTAL_FREQUENCY_LIMITER_TTL",
      "KLM_EXPERIMENTAL_MANAGED_FIELDS_ANALYSIS_LABEL",
    ],
  },
  { title: "Lifecycle manager, fields of log lines", rows: ["date", "level", "context"] },
];

interface Holder {
  readonly file: string;
  readonly title: string;
}

function testFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.(test|e2e)\.ts$|-story\.ts$/.test(entry.name) &&
        !entry.parentPath.includes("node_modules"),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Titles of tests, and texts of tables that become titles. */
const textPattern = /(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
/** Rows stand in brackets: `(E017, fault 54)`. */
const bracketPattern = /\(([^()]*)\)/g;
const rowPattern = /\b(?:(?<first>[EIU]\d{3})(?:–(?<last>[EIU]?\d{3}))?|fault \d+|1[26]\.\d-\d+|M\d{1,2})\b/g;

/** The tests of the infrastructure manager; their titles begin with the rows: `F24, F25: …`, `K1–K3: …`. */
const infrastructureFiles =
  /^(controllers\/(runtime|gardener-cluster|registry-cache)|packages\/gardener|cli\/runtime|c(md|ases)\/(\w+-)*(infrastructure|registry-cache|shoot)\b)/;
const leadPattern = /^(?:[FSKCEPT]\d{1,2}(?:–\d+)?(?:, |(?=:)))+(?=:)/;

function leadingRows(title: string): readonly string[] {
  const ranges = (leadPattern.exec(title)?.[0] ?? "").split(", ").filter((range) => range !== "");
  return ranges.flatMap((range) => {
    const [from = "", to = from.slice(1)] = range.split("–");
    return span(from.slice(0, 1), Number(from.slice(1)), Number(to));
  });
}

/** The tests of the command line name rows of its own lists: `#36 …`, and `(10-3)` for those of `kyma deploy`. */
const commandLineFiles = /^(cli\/|e2e\/deploy)/;
const commandLineRows = /#\d{1,2}\b|\b10-\d{1,2}\b/g;

/** Names stand before a colon, `PatchStatus: …`, or alone in a table of steps. */
const namePattern = /^[A-Za-z_]+(?:, [a-z]+)*(?=:|$)/;
const namedFiles = /^(controllers\/(kyma|watcher|manifest|mandatory-module)\/|cmd\/environment)/;

/** The rows that a title names; `E055–E059` names five. */
function rowsIn(title: string, file: string): readonly string[] {
  const named = namedFiles.test(file) ? (namePattern.exec(title)?.[0].split(", ") ?? []) : [];
  return [...named, ...numbersIn(title, file)];
}

function numbersIn(title: string, file: string): readonly string[] {
  if (commandLineFiles.test(file) && !infrastructureFiles.test(file)) return title.match(commandLineRows) ?? [];
  if (infrastructureFiles.test(file)) return leadingRows(title);
  const brackets = [...title.matchAll(bracketPattern)].map(([, inner = ""]) => inner).join(" ");
  return [...brackets.matchAll(rowPattern)].flatMap(({ 0: whole, groups }) => {
    const { first, last } = groups ?? {};
    if (first === undefined || last === undefined) return [whole];
    const [from, to] = [Number(first.slice(1)), Number(last.replace(/\D/g, ""))];
    return span(first.slice(0, 1), from, to, 3);
  });
}

function collect(): ReadonlyMap<string, readonly Holder[]> {
  const holders = new Map<string, Holder[]>();
  for (const path of rooms.flatMap((room) => testFiles(join(root, room))).toSorted()) {
    for (const [, , title = ""] of readFileSync(path, "utf8").matchAll(textPattern)) {
      for (const row of rowsIn(title, relative(root, path))) {
        holders.set(row, [...(holders.get(row) ?? []), { file: relative(root, path), title }]);
      }
    }
  }
  return holders;
}

function render(holders: ReadonlyMap<string, readonly Holder[]>): string {
  const all = sections.flatMap(({ rows }) => rows);
  const held = all.filter((row) => holders.has(row)).length;
  const noted = all.filter((row) => !holders.has(row) && acceptanceNotes[row] !== undefined).length;
  const head = [
    "# Acceptance",
    "",
    "Which test holds which row of the acceptance lists. Generated by `node hack/acceptance.ts` from the titles of the",
    "tests; where none names a row, `hack/acceptance-notes.ts` says what holds it or why nothing does.",
    "",
    `${held} of ${all.length} rows have a test by their name, ${noted} a note.`,
  ];
  return `${[...head, ...sections.flatMap((section) => renderSection(section, holders))].join("\n")}\n`;
}

function renderSection({ title, rows }: Section, holders: ReadonlyMap<string, readonly Holder[]>): readonly string[] {
  const lines = rows.map((row) => {
    const tests = telling(row, holders.get(row) ?? [])
      .map(describe)
      .join("<br>");
    return `| ${row} | ${tests || (acceptanceNotes[row] ?? "–")} |`;
  });
  return ["", `## ${title}`, "", "| row | test |", "|---|---|", ...lines];
}

/** A name that stands alone in a table of a test counts once, and only where no title says more. */
function telling(row: string, holders: readonly Holder[]): readonly Holder[] {
  const titled = holders.filter(({ title }) => title !== row);
  return titled.length > 0 ? titled : holders.slice(0, 1);
}

function describe({ file, title }: Holder): string {
  return `\`${file}\`: ${title.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("${", "$\\{")}`;
}

const content = render(collect());
if (process.argv.includes("--check")) {
  const current = readFileSync(page, "utf8");
  if (current !== content) console.error("docs/reference/acceptance.md is not up to date: run node hack/acceptance.ts");
  process.exitCode = current === content ? 0 : 1;
} else {
  writeFileSync(page, content);
  console.log(content.split("\n").find((line) => line.includes("rows have a test")));
}
