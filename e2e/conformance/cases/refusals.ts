import type { ConformanceCase } from "../case.ts";

/** One case per body, each with a fault; the name tells the fault. `{ns}` is the case's namespace. */
export function refusals(
  subject: string,
  path: string,
  bodies: Readonly<Record<string, object>>,
): readonly ConformanceCase[] {
  return Object.entries(bodies).map(([fault, body]) => ({
    name: `${subject}: ${fault}`,
    steps: [{ request: `POST ${path}?dryRun=All`, body: { metadata: { name: "s" }, ...body } }],
  }));
}

/** The bodies with these specs. */
export function specs(table: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.entries(table).map(([fault, spec]) => [fault, { spec }]));
}

/** The bodies whose spec is a complete one with these fields changed. */
export function changed(base: object, table: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return specs(Object.fromEntries(Object.entries(table).map(([fault, fields]) => [fault, { ...base, ...fields }])));
}
