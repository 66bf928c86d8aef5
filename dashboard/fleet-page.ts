import {
  type FleetQuery,
  formatFleetQuery,
  pageSize,
  parseFleetQuery,
  type Selection,
  type SortColumn,
  selectRows,
} from "./fleet-query.ts";
import { type Html, html, shortened } from "./html.ts";
import type { View } from "./layout.ts";
import { badge, counted, icon, kymaPath, moment, toneBar } from "./parts.ts";
import { type FleetKind, type FleetRow, isComplete, rowsOf, statesOf, watchedKinds } from "./rows.ts";
import type { Sources } from "./sources.ts";
import { needsAttention, urgencyOf } from "./tones.ts";

const titles: Readonly<Record<FleetKind, { readonly one: string; readonly many: string; readonly details: string }>> = {
  runtimes: { one: "Runtime", many: "Runtimes", details: "Provider" },
  kymas: { one: "Kyma", many: "Kymas", details: "Channel and modules" },
  modules: { one: "Module", many: "Modules", details: "Channel and version" },
  manifests: { one: "Manifest", many: "Manifests", details: "Module and version" },
};

const longestBlocker = 240;

/** All of one kind, with the totals of every kind. */
export function fleetView(sources: Sources, params: URLSearchParams): View {
  const watched = watchedKinds(sources);
  if (watched.length === 0) return nothingWatched;
  const query = parseFleetQuery(params, watched);
  const states = new Map(watched.map((kind) => [kind, statesOf(sources, kind)] as const));
  const own = states.get(query.kind) ?? [];
  const troubled = own.filter(needsAttention).length;
  const main = html`<h1>Fleet</h1>
${headline(states)}
<nav class="cards" aria-label="Kinds"><ul>${[...states].map(([kind, all]) => card(kind, all, query))}</ul></nav>
<section aria-labelledby="list">
<h2 id="list">${titles[query.kind].many}</h2>
${filterForm(query, own)}
${listing(sources, query)}
</section>`;
  const mark = troubled === 0 ? "" : `(${troubled}) `;
  return { status: 200, title: `${mark}${titles[query.kind].many}`, main };
}

const nothingWatched: View = {
  status: 200,
  title: "Fleet",
  main: html`<h1>Fleet</h1><p class="empty">The controllers of this process watch neither Runtimes nor Kymas.</p>`,
};

function headline(states: ReadonlyMap<FleetKind, readonly string[]>): Html {
  const troubled = countedKinds(states, needsAttention);
  if (troubled !== "") return sentence("error", `Needs attention: ${troubled}.`);
  const open = countedKinds(states, (state) => state !== "Ready");
  if (open !== "") return sentence("busy", `On the way: ${open}.`);
  if ([...states.values()].every(({ length }) => length === 0)) return sentence("idle", "Nothing here yet.");
  return sentence("ready", "Everything is Ready.");
}

/** For example `1 Runtime, 2 Kymas`; empty when there are none in such a state. */
function countedKinds(states: ReadonlyMap<FleetKind, readonly string[]>, isMeant: (state: string) => boolean): string {
  const parts = [...states].flatMap(([kind, all]) => {
    const count = all.filter(isMeant).length;
    return count === 0 ? [] : [counted(count, titles[kind].one)];
  });
  return parts.join(", ");
}

function sentence(tone: "error" | "busy" | "idle" | "ready", text: string): Html {
  return html`<p class="headline tone-${tone}" role="status" aria-live="polite">${icon(tone)}<span>${text}</span></p>`;
}

function card(kind: FleetKind, states: readonly string[], { kind: current }: FleetQuery): Html {
  const here = kind === current ? html` aria-current="page"` : undefined;
  return html`<li data-key="${kind}"><a href="/?kind=${kind}"${here}>
<span class="card-name">${titles[kind].many}</span>
<span class="card-count">${states.length.toLocaleString("en-US")}</span>
${toneBar(states)}
<span class="card-states">${tallyOf(states).map(
    ([state, count]) =>
      html`<span class="tally" data-key="${state}">${badge(state)}${count.toLocaleString("en-US")}</span>`,
  )}</span>
</a></li>`;
}

/** How many are in which state, the most urgent first. */
function tallyOf(states: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => urgencyOf(a) - urgencyOf(b) || (a < b ? -1 : 1));
}

function filterForm(query: FleetQuery, states: readonly string[]): Html {
  const choices = [
    ...new Set([...tallyOf(states).map(([state]) => state), ...(query.state === "" ? [] : [query.state])]),
  ];
  const chosen = (state: string): Html | undefined => (state === query.state ? html` selected` : undefined);
  const sort = new URL(formatFleetQuery(query), "http://page").searchParams.get("sort");
  return html`<form class="filter" method="get" action="/" role="search" aria-label="Filter the list">
<input type="hidden" name="kind" value="${query.kind}">
${sort === null ? undefined : html`<input type="hidden" name="sort" value="${sort}">`}
<label for="q">Filter</label>
<input id="q" name="q" type="search" value="${query.filter}" maxlength="200" autocomplete="off" spellcheck="false" placeholder="Name, Kyma, state or reason" aria-keyshortcuts="/">
<label for="state">State</label>
<select id="state" name="state"><option value="">All</option>${choices.map(
    (state) => html`<option data-key="${state}" value="${state}"${chosen(state)}>${state}</option>`,
  )}</select>
<button type="submit">Apply</button>
</form>`;
}

function listing(sources: Sources, query: FleetQuery): Html {
  if (!isComplete(sources, query.kind)) {
    return html`<p class="empty" role="status">Reading the ${titles[query.kind].many} from the cluster…</p>`;
  }
  const selection = selectRows(rowsOf(sources, query.kind), query);
  if (selection.total === 0) return empty(query);
  return html`${table(selection, query)}${pager(selection, query)}`;
}

function empty(query: FleetQuery): Html {
  const { many } = titles[query.kind];
  if (query.filter === "" && query.state === "") {
    return html`<div class="empty"><p><strong>No ${many} yet.</strong></p><p>They appear here by themselves as soon as the cluster has some.</p></div>`;
  }
  const criteria = [query.filter === "" ? "" : `“${query.filter}”`, query.state === "" ? "" : `state ${query.state}`];
  return html`<div class="empty"><p><strong>No ${many} match <bdi>${criteria.filter(Boolean).join(" and ")}</bdi>.</strong></p>
<p><a data-soft href="/?kind=${query.kind}">Clear the filter</a></p></div>`;
}

function table({ rows, total }: Selection, query: FleetQuery): Html {
  const { one, details } = titles[query.kind];
  return html`<div class="scroll"><table>
<caption>${counted(total, one)}</caption>
<thead><tr>
${column(query, "name", "Name")}
${query.kind === "kymas" ? undefined : column(query, "kyma", "Kyma")}
${column(query, "state", "State")}
<th scope="col">${details}</th>
${column(query, "age", "Age")}
<th scope="col">First blocker</th>
</tr></thead>
<tbody>${rows.map((row) => tableRow(row, query.kind))}</tbody>
</table></div>`;
}

function column(query: FleetQuery, sort: SortColumn, label: string): Html {
  const current = query.sort === sort;
  const target = formatFleetQuery({ ...query, sort, descending: current && !query.descending, page: 1 });
  const order = current ? html` aria-sort="${query.descending ? "descending" : "ascending"}"` : undefined;
  return html`<th scope="col"${order}><a data-soft href="${target}">${label}${icon("arrow")}</a></th>`;
}

function tableRow(row: FleetRow, kind: FleetKind): Html {
  const name = row.kyma === "" ? html`<bdi>${row.name}</bdi>` : kymaLink(row.kyma, row.name);
  const kyma = row.kyma === "" ? html`<span class="muted">–</span>` : kymaLink(row.kyma, row.kyma);
  return html`<tr data-key="${row.kyma}/${row.name}">
<th scope="row">${name}</th>
${kind === "kymas" ? undefined : html`<td>${kyma}</td>`}
<td>${badge(row.state)}</td>
<td class="muted"><bdi>${row.details}</bdi></td>
<td class="age">${moment(row.created, "Created ")}</td>
<td class="blocker"><bdi>${shortened(row.blocker, longestBlocker)}</bdi></td>
</tr>`;
}

function kymaLink(kyma: string, text: string): Html {
  return html`<a href="${kymaPath(kyma)}"><bdi>${text}</bdi></a>`;
}

function pager({ rows, total, page, pages }: Selection, query: FleetQuery): Html | undefined {
  if (pages === 1) return undefined;
  const first = (page - 1) * pageSize + 1;
  const link = (label: string, target: number): Html =>
    target < 1 || target > pages
      ? html`<span class="muted" aria-disabled="true">${label}</span>`
      : html`<a data-soft href="${formatFleetQuery({ ...query, page: target })}">${label}</a>`;
  const range = `${first.toLocaleString("en-US")}–${(first + rows.length - 1).toLocaleString("en-US")}`;
  return html`<nav class="pager" aria-label="Pages">${link("Previous", page - 1)}<span>${range} of ${total.toLocaleString("en-US")}</span>${link("Next", page + 1)}</nav>`;
}
