import type { ObjectKey } from "@kyma-operators/kube";
import type { GardenerCluster, Runtime } from "../apis/infrastructure/index.ts";
import { labels as runtimeLabels } from "../apis/infrastructure/names.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import type { Condition } from "../apis/operator/object.ts";
import { blockerOf, stateOf } from "../apis/progress.ts";
import type { ConditionHistory } from "./history.ts";
import { type Html, html, shortened } from "./html.ts";
import type { View } from "./layout.ts";
import { badge, counted, icon, moment } from "./parts.ts";
import { channelOf, type FleetRow, moduleRows, placeOf, readyModules } from "./rows.ts";
import type { Sources } from "./sources.ts";
import { longestTimeline, type Subject, type TimelineEntry, timelineOf } from "./timeline.ts";
import { toneOf } from "./tones.ts";

const longestMessage = 2000;

/** Everything about one Kyma: its modules, its conditions and what happened. */
export function kymaView(sources: Sources, history: ConditionHistory, key: ObjectKey): View {
  const { name } = key;
  const kyma = sources.kymas?.store.get(key);
  if (kyma === undefined) return missingKyma(sources, name);
  const family = familyOf(sources, name);
  const subjects: readonly Subject[] = [kyma, ...family.runtimes, ...family.clusters, ...family.manifests];
  const state = stateOf(kyma);
  const main = html`<nav class="path" aria-label="Path"><ol><li><a href="/?kind=kymas">Kymas</a></li><li aria-current="page"><bdi>${name}</bdi></li></ol></nav>
<div class="title"><h1><bdi>${name}</bdi></h1><span role="status" aria-live="polite">${badge(state)}</span></div>
${callout(kyma, family)}
${facts(kyma, family.runtimes)}
${modulesSection(moduleRows(kyma, sources.manifests?.store))}
${conditionsSection([kyma, ...family.runtimes, ...family.clusters])}
${timelineSection(timelineOf(subjects, sources, history), sources)}`;
  return { status: 200, title: `${name} (${state})`, main };
}

function missingKyma({ kymas }: Sources, name: string): View {
  const reading = kymas !== undefined && !kymas.synced;
  const text = reading
    ? "The Kymas are being read from the cluster…"
    : "There is no Kyma of this name. It appears here when it is created.";
  const main = html`<h1><bdi>${name}</bdi></h1><div class="empty" role="status"><p>${text}</p><p><a href="/?kind=kymas">All Kymas</a></p></div>`;
  return { status: reading ? 200 : 404, title: name, main };
}

interface Family {
  readonly manifests: readonly Manifest[];
  readonly runtimes: readonly Runtime[];
  readonly clusters: readonly GardenerCluster[];
}

/** What belongs to a Kyma by its label. */
function familyOf({ manifests, runtimes, gardenerClusters }: Sources, name: string): Family {
  const belongs = (label: string) => (object: { readonly metadata: { readonly labels?: Record<string, string> } }) =>
    object.metadata.labels?.[label] === name;
  return {
    manifests: (manifests?.store.list() ?? []).filter(belongs(labels.kymaName)),
    runtimes: (runtimes?.store.list() ?? []).filter(belongs(runtimeLabels.kymaName)),
    clusters: (gardenerClusters?.store.list() ?? []).filter(belongs(runtimeLabels.kymaName)),
  };
}

/** The first thing in the way. A Runtime that is not Ready is in the way of all else. */
function callout(kyma: Kyma, { runtimes, manifests }: Family): Html | undefined {
  if (stateOf(kyma) === "Ready") return undefined;
  const blocked = [...runtimes, kyma, ...manifests].find((subject) => blockerOf(subject) !== "");
  if (blocked === undefined) return undefined;
  const tone = toneOf(stateOf(kyma));
  const whose = blocked === kyma ? "" : ` (${blocked.kind})`;
  return html`<p class="callout tone-${tone}">${icon(tone)}<span><strong>First blocker${whose}</strong> <bdi>${shortened(blockerOf(blocked), longestMessage)}</bdi></span></p>`;
}

function facts(kyma: Kyma, runtimes: readonly Runtime[]): Html {
  const { lastOperation } = kyma.status ?? {};
  const runtime = runtimes[0];
  const list: readonly (readonly [string, Html])[] = [
    ["Channel", html`<bdi>${channelOf(kyma)}</bdi>`],
    ["Modules", html`${readyModules(kyma)}`],
    ["Created", moment(kyma.metadata.creationTimestamp ?? "")],
    ...(runtime === undefined ? [] : [["Runtime", runtimeFact(runtime)] as const]),
    ...(lastOperation === undefined
      ? []
      : [["Last operation", html`<bdi>${shortened(lastOperation.operation, longestMessage)}</bdi>`] as const]),
  ];
  return html`<dl class="facts">${list.map(([term, value]) => html`<div data-key="${term}"><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function runtimeFact(runtime: Runtime): Html {
  return html`${badge(stateOf(runtime))} <bdi>${placeOf(runtime).join(", ")}</bdi>`;
}

function modulesSection(rows: readonly FleetRow[]): Html {
  const body =
    rows.length === 0
      ? html`<p class="empty">This Kyma has no modules.</p>`
      : html`<div class="scroll"><table>
<thead><tr><th scope="col">Module</th><th scope="col">State</th><th scope="col">Channel and version</th><th scope="col">Age</th><th scope="col">First blocker</th></tr></thead>
<tbody>${[...rows].map(moduleRow)}</tbody>
</table></div>`;
  return html`<section aria-labelledby="modules"><h2 id="modules">Modules</h2>${body}</section>`;
}

function moduleRow(row: FleetRow): Html {
  return html`<tr data-key="${row.name}"><th scope="row"><bdi>${row.name}</bdi></th><td>${badge(row.state)}</td><td class="muted"><bdi>${row.details}</bdi></td><td class="age">${moment(row.created, "Created ")}</td><td class="blocker"><bdi>${shortened(row.blocker, longestMessage)}</bdi></td></tr>`;
}

function conditionsSection(subjects: readonly Subject[]): Html {
  const rows = subjects.flatMap((subject) =>
    (subject.status?.conditions ?? []).map((condition) => conditionRow(subject.kind, condition)),
  );
  const body =
    rows.length === 0
      ? html`<p class="empty">No conditions yet.</p>`
      : html`<div class="scroll"><table>
<thead><tr><th scope="col">Condition</th><th scope="col">Of</th><th scope="col">Status</th><th scope="col">Since</th><th scope="col">Message</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
  return html`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2>${body}</section>`;
}

function conditionRow(kind: string, { type, status, lastTransitionTime, message, reason }: Condition): Html {
  const tone = status === "True" ? "ready" : "busy";
  return html`<tr data-key="${kind}/${type}"><th scope="row"><bdi>${type}</bdi></th><td class="muted">${kind}</td><td><span class="badge tone-${tone}">${icon(tone)}${status}</span></td><td class="age">${moment(lastTransitionTime)}</td><td class="blocker"><bdi>${shortened(message || reason, longestMessage)}</bdi></td></tr>`;
}

function timelineSection(entries: readonly TimelineEntry[], { events }: Sources): Html {
  const note =
    events?.synced === false
      ? html`<p class="muted">Events can't be read: the operator needs the verbs list and watch for events.</p>`
      : undefined;
  const full =
    entries.length === longestTimeline
      ? html`<p class="muted">The latest ${counted(longestTimeline, "entry", "entries")}.</p>`
      : undefined;
  return html`<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>${note}
<ol class="timeline">${entries.map(timelineItem)}</ol>${full}</section>`;
}

function timelineItem({ time, subject, mark, title, text, count }: TimelineEntry): Html {
  const times = count > 1 ? html`<span class="muted"> · ${counted(count, "time")}</span>` : undefined;
  return html`<li data-key="${subject}/${title}/${time}" class="tone-${mark}">${icon(mark)}<div><p><strong><bdi>${title}</bdi></strong> <span class="muted"><bdi>${subject}</bdi></span>${times}</p>${text === "" ? undefined : html`<p><bdi>${shortened(text, longestMessage)}</bdi></p>`}</div>${moment(time)}</li>`;
}
