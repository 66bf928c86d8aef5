import { type Html, html } from "./html.ts";
import { icon, iconSheet } from "./parts.ts";

/** What changes on a page while it is open. */
export interface View {
  readonly status: number;
  readonly title: string;
  /** Content of the `main` landmark. */
  readonly main: Html;
}

/** What is the same on all pages. */
export interface Frame {
  readonly namespace: string;
  readonly version: string;
  /** Addresses of the style sheet and of the script, with a mark that changes with their content. */
  readonly style: string;
  readonly script: string;
  /** The server's time, by which ages are counted. */
  readonly nowMs: number;
}

/** A whole page whose `main` is kept up to date by the script. */
export function livePage(view: View, frame: Frame): string {
  return page(view, frame, {
    head: html`<script src="${frame.script}" defer></script>`,
    aside: html`<div id="connection" data-state="connecting" role="status" aria-live="polite">${icon("live")}<span>Connecting…</span></div>
<noscript><p class="notice">Without JavaScript this page shows the state of when it was loaded.</p></noscript>`,
  });
}

/** Asks for the token; `problem` is why the last one did not do. */
export function signInPage(frame: Frame, problem = ""): string {
  const hint = html`<p id="problem" class="problem" role="alert">${icon("error")}<span>${problem}</span></p>`;
  const main = html`<div class="sign-in">
<h1>Sign in</h1>
<p>This page is shown to whoever knows the token of the dashboard, the content of <code>--dashboard-token-file</code>.</p>
${problem === "" ? undefined : hint}
<form method="post" action="/sign-in">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus${problem === "" ? undefined : html` aria-invalid="true" aria-describedby="problem"`}>
<button type="submit">Sign in</button>
</form>
</div>`;
  return page({ status: 401, title: "Sign in", main }, frame);
}

function page(view: View, frame: Frame, extra: { readonly head?: Html; readonly aside?: Html } = {}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${view.title} – Kyma</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${frame.style}">
${extra.head}
</head>
<body data-now="${frame.nowMs}">
<a class="skip" href="#main">Skip to content</a>
${iconSheet}
<header class="top">
<a class="brand" href="/">Kyma <span>Fleet</span></a>
<p class="where">Namespace <bdi>${frame.namespace}</bdi></p>
${extra.aside}
</header>
<main id="main" tabindex="-1">${view.main}</main>
<footer><p>Kyma operator ${frame.version}. This page only reads.</p></footer>
</body>
</html>
`.text;
}
