import { type Html, html } from "./html.ts";
import { type Tone, toneOf, tones } from "./tones.ts";

/** Drawings of 16 by 16, one shape per tone, so that no state is told by its colour alone. */
const shapes: Readonly<Record<Tone | "note" | "live" | "arrow", Html>> = {
  ready: html`<circle cx="8" cy="8" r="6.25"/><path d="m5.3 8.2 1.9 1.9 3.6-4"/>`,
  busy: html`<path d="M8 1.75a6.25 6.25 0 1 0 6.25 6.25"/><path d="M8 4.8V8l2.2 1.6"/>`,
  warning: html`<path d="M8 2.2 14.4 13.4H1.6Z"/><path d="M8 6.4v3.2M8 11.4v.1"/>`,
  error: html`<path d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4l-3.65-3.65V5.4Z"/><path d="m5.9 5.9 4.2 4.2m0-4.2-4.2 4.2"/>`,
  leaving: html`<path d="M2.5 4.2h11M6.2 4V2.2h3.6V4M4 4.4l.6 9.3h6.8l.6-9.3"/>`,
  idle: html`<circle cx="8" cy="8" r="6.25"/><path d="M6.4 5.8v4.4M9.6 5.8v4.4"/>`,
  note: html`<circle cx="8" cy="8" r="6.25"/><path d="M8 7.5v3.4M8 5v.1"/>`,
  live: html`<circle cx="8" cy="8" r="2.4"/><path d="M4 12a5.7 5.7 0 0 1 0-8M12 4a5.7 5.7 0 0 1 0 8"/>`,
  arrow: html`<path d="M8 13V3.4M4.4 7 8 3.2 11.6 7"/>`,
};

/** Definitions of all icons; stands once per page. */
export const iconSheet: Html = html`<svg class="sheet" aria-hidden="true" focusable="false">${Object.entries(
  shapes,
).map(([name, shape]) => html`<symbol id="icon-${name}" viewBox="0 0 16 16">${shape}</symbol>`)}</svg>`;

export function icon(name: keyof typeof shapes): Html {
  return html`<svg class="icon" aria-hidden="true" focusable="false"><use href="#icon-${name}"/></svg>`;
}

/** A state as icon and text. */
export function badge(state: string): Html {
  const tone = toneOf(state);
  return html`<span class="badge tone-${tone}">${icon(tone)}<bdi>${state}</bdi></span>`;
}

/** A moment. The page's script turns it into an age that ticks; without it the time itself can be read. */
export function moment(time: string, label = ""): Html {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return html`<span class="muted">–</span>`;
  const exact = new Date(ms).toISOString();
  const text = `${exact.slice(0, 10)} ${exact.slice(11, 19)} UTC`;
  return html`<time datetime="${exact}" title="${label}${text}">${text}</time>`;
}

/** A bar of the shares of the tones. Decoration: the same numbers stand beside it. */
export function toneBar(states: readonly string[]): Html {
  const counts = new Map<Tone, number>();
  for (const state of states) counts.set(toneOf(state), (counts.get(toneOf(state)) ?? 0) + 1);
  let x = 0;
  const parts = [...tones].reverse().flatMap((tone) => {
    const width = ((counts.get(tone) ?? 0) / states.length) * 100;
    if (!(width > 0)) return [];
    const rect = html`<rect class="tone-${tone}" x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="4"/>`;
    x += width;
    return [rect];
  });
  return html`<svg class="tones" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">${parts}</svg>`;
}

/** `1 Kyma`, `2,000 Kymas`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** Where the page of a Kyma is. */
export function kymaPath(name: string): string {
  return `/kymas/${encodeURIComponent(name)}`;
}
