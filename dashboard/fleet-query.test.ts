import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { array, boolean, assert as check, constantFrom, integer, property, record, string } from "fast-check";
import { type FleetQuery, formatFleetQuery, pageSize, parseFleetQuery, selectRows } from "./fleet-query.ts";
import { type FleetRow, fleetKinds } from "./rows.ts";

const parse = (text: string) => parseFleetQuery(new URLSearchParams(text), fleetKinds);
const standard = { kind: "kymas", filter: "", state: "", sort: "state", descending: false, page: 1 } as const;

describe("the address of a part of the fleet", () => {
  const cases = [
    { name: "nothing is the Kymas, the most urgent first", text: "", want: standard },
    { name: "nonsense has defaults", text: "kind=pods&sort=colour&page=-3&q=%20", want: standard },
    { name: "a huge page number is none", text: "page=1e30", want: standard },
    {
      name: "everything can be said",
      text: "kind=modules&q=istio%20eu&state=Error&sort=-age&page=3",
      want: { kind: "modules", filter: "istio eu", state: "Error", sort: "age", descending: true, page: 3 },
    },
  ];
  for (const { name, text, want } of cases) test(name, () => deepEqual(parse(text), want));

  test("falls back to a kind that is watched", () => {
    equal(parseFleetQuery(new URLSearchParams("kind=kymas"), ["runtimes"]).kind, "runtimes");
  });

  test("is read back as it was written", () => {
    const query = record<FleetQuery>(
      {
        kind: constantFrom(...fleetKinds),
        filter: string({ maxLength: 50 }).map((text) => text.trim()),
        state: string({ maxLength: 20 }),
        sort: constantFrom("name", "kyma", "state", "age"),
        descending: boolean(),
        page: integer({ min: 1, max: 10_000 }),
      },
      { noNullPrototype: true },
    );
    check(
      property(query, (wanted) => {
        deepEqual(parse(formatFleetQuery(wanted).slice(2)), wanted);
      }),
    );
  });
});

const row = (name: string, state = "Ready", more: Partial<FleetRow> = {}): FleetRow => ({
  name,
  kyma: name,
  state,
  details: "regular",
  created: "2026-01-01T00:00:00Z",
  blocker: "",
  ...more,
});
const names = (rows: readonly FleetRow[], query: Partial<typeof standard> | object = {}): readonly string[] =>
  selectRows(rows, { ...standard, ...query }).rows.map(({ name }) => name);

describe("the rows of a page", () => {
  const rows = [
    row("c", "Ready", { created: "2026-01-03T00:00:00Z" }),
    row("a", "Ready", { created: "2026-01-01T00:00:00Z" }),
    row("w", "Warning", { created: "2026-01-02T00:00:00Z" }),
    row("e", "Error", { created: "2026-01-04T00:00:00Z", blocker: "Registry answered 403" }),
    row("p", "Processing", { created: "2026-01-05T00:00:00Z" }),
  ];

  test("come with the most urgent state first, then by name", () => {
    deepEqual(names(rows), ["e", "w", "p", "a", "c"]);
    deepEqual(names(rows, { descending: true }), ["a", "c", "p", "w", "e"]);
  });

  test("are sorted by name or age", () => {
    deepEqual(names(rows, { sort: "name" }), ["a", "c", "e", "p", "w"]);
    deepEqual(names(rows, { sort: "age" }), ["p", "e", "c", "w", "a"]);
  });

  test("hold every word of the filter somewhere, in any case", () => {
    deepEqual(names(rows, { filter: "403 ERROR" }), ["e"]);
    deepEqual(names(rows, { filter: "403 ready" }), []);
  });

  test("have the state that was chosen", () => {
    deepEqual(names(rows, { state: "Warning" }), ["w"]);
  });

  test("are cut into pages; behind the last page is the last page", () => {
    const many = Array.from({ length: 2 * pageSize + 1 }, (_, index) => row(String(index).padStart(4, "0")));
    const { rows: last, total, page, pages } = selectRows(many, { ...standard, page: 99 });
    deepEqual([last.length, total, page, pages], [1, 101, 3, 3]);
  });

  test("of a large fleet are those of all rows in order", () => {
    const fleet = array(record({ name: string(), state: constantFrom("Ready", "Error", "Warning", "Processing") }), {
      minLength: 500,
      maxLength: 600,
    });
    check(
      property(fleet, constantFrom("name", "state"), boolean(), (drafts, sort, descending) => {
        const all = drafts.map(({ name, state }) => row(name, state));
        const query = { ...standard, sort, descending };
        const pages = Array.from({ length: Math.ceil(all.length / pageSize) }, (_, index) =>
          selectRows(all, { ...query, page: index + 1 }),
        );
        const paged = pages.flatMap(({ rows: part }) => part);
        // Every row once, and no neighbours that a sort of just these two would exchange.
        equal(new Set(paged).size, all.length);
        for (const [index, next] of paged.slice(1).entries()) {
          const pair = [next, ...paged.slice(index, index + 1)];
          deepEqual(names(pair, query), [paged[index]?.name, next.name]);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("of a filter that matches none are one empty page", () => {
    deepEqual(selectRows(rows, { ...standard, filter: "nothing" }), { rows: [], total: 0, page: 1, pages: 1 });
  });

  test("leave the list they come from as it is", () => {
    deepEqual(names(Object.freeze([...rows]), { sort: "name" }), ["a", "c", "e", "p", "w"]);
  });
});
