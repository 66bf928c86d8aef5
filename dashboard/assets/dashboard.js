/**
 * Keeps the page up to date. The server renders everything, and streams the new content of `main` whenever it changes;
 * this script changes the document to match, node by node, so that focus, selection and scroll position stay.
 *
 * Without it the page works as a plain document.
 */

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const connection = /** @type {HTMLElement} */ (document.getElementById("connection"));

/** How far this machine's clock is behind the server's, in milliseconds. */
const skewMs = Number(document.body.dataset.now) - Date.now();

const firstRetryMs = 1000;
const longestRetryMs = 15_000;
const typingPauseMs = 200;

// Ages

/** @param {number} ms */
function formatAge(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** @param {ParentNode} root */
function showAges(root) {
  const nowMs = Date.now() + skewMs;
  for (const time of root.querySelectorAll("time")) {
    const age = formatAge(nowMs - Date.parse(time.dateTime));
    if (time.textContent !== age) time.textContent = age;
  }
}

// Changing the document

/** @param {Node | null} node */
function keyOf(node) {
  return node instanceof HTMLElement ? node.dataset.key : undefined;
}

/**
 * Changes a node to equal another one.
 *
 * @param {Node} from
 * @param {Node} to
 */
function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from instanceof Element && to instanceof Element) {
    morphAttributes(from, to);
    morphChildren(from, to);
  } else {
    from.nodeValue = to.nodeValue;
  }
}

/**
 * @param {Element} from
 * @param {Element} to
 */
function morphAttributes(from, to) {
  for (const name of from.getAttributeNames()) if (!to.hasAttribute(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
}

/**
 * Children with a key are found again wherever they are; others only in their place.
 *
 * @param {Element} from
 * @param {Element} to
 */
function morphChildren(from, to) {
  /** @type {Map<string, ChildNode>} */
  const keyed = new Map();
  for (const child of from.childNodes) {
    const key = keyOf(child);
    if (key !== undefined && !keyed.has(key)) keyed.set(key, child);
  }
  let place = from.firstChild;
  for (const wanted of Array.from(to.childNodes)) {
    const present = childFor(wanted, place, keyed);
    if (present === undefined) {
      from.insertBefore(wanted, place);
      continue;
    }
    if (present === place) place = present.nextSibling;
    else from.insertBefore(present, place);
    morph(present, wanted);
  }
  while (place !== null) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/**
 * The node that is to become `wanted`; undefined when there is none.
 *
 * @param {Node} wanted
 * @param {ChildNode | null} place
 * @param {Map<string, ChildNode>} keyed
 */
function childFor(wanted, place, keyed) {
  const key = keyOf(wanted);
  if (key !== undefined) {
    const found = keyed.get(key);
    keyed.delete(key);
    return found?.nodeName === wanted.nodeName ? found : undefined;
  }
  const fits = place !== null && place.nodeName === wanted.nodeName && keyOf(place) === undefined;
  return fits ? place : undefined;
}

/** @param {{ title?: string, main?: string }} view */
function show({ title, main: content }) {
  if (title === undefined || content === undefined) return location.reload();
  const parsed = new DOMParser().parseFromString(`<main>${content}</main>`, "text/html");
  const wanted = /** @type {HTMLElement} */ (parsed.querySelector("main"));
  showAges(wanted);
  const focused = document.activeElement;
  morphChildren(main, wanted);
  // A row that has moved has lost the focus on its way.
  if (focused instanceof HTMLElement && focused.isConnected && document.activeElement !== focused) {
    focused.focus({ preventScroll: true });
  }
  main.removeAttribute("aria-busy");
  document.title = `${title} – Kyma`;
}

// The stream

/** @type {EventSource | undefined} */
let source;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retry;
let retryMs = firstRetryMs;
let seenAt = new Date();

const here = () => location.pathname + location.search;

/** @param {"connecting" | "live" | "lost"} state */
function showConnection(state) {
  if (state === connection.dataset.state) return;
  connection.dataset.state = state;
  const texts = {
    connecting: "Connecting…",
    live: "Live",
    lost: `Disconnected. This is the state of ${seenAt.toLocaleTimeString()}.`,
  };
  const text = connection.querySelector("span");
  if (text !== null) text.textContent = texts[state];
  connection.querySelector("button")?.remove();
  if (state === "lost") connection.append(retryButton());
}

function retryButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Try now";
  button.addEventListener("click", () => void reconnect());
  return button;
}

function connect() {
  source?.close();
  clearTimeout(retry);
  const stream = new EventSource(`/live?view=${encodeURIComponent(here())}`);
  source = stream;
  stream.addEventListener("view", (event) => {
    retryMs = firstRetryMs;
    seenAt = new Date();
    showConnection("live");
    show(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    stream.close();
    if (stream === source) lost();
  });
}

function lost() {
  showConnection("lost");
  clearTimeout(retry);
  retry = setTimeout(() => void reconnect(), retryMs);
  retryMs = Math.min(longestRetryMs, retryMs * 2);
}

/** A stream does not tell why it failed; an expired session needs the sign-in page, all else another try. */
async function reconnect() {
  try {
    const answer = await fetch(here(), { method: "HEAD" });
    if (answer.status === 401) location.reload();
    else connect();
  } catch {
    lost();
  }
}

// Moving within the fleet

/**
 * Shows another part of the fleet without loading the page anew.
 *
 * @param {URL} url
 * @param {"pushState" | "replaceState"} how
 */
function go(url, how) {
  history[how](null, "", url);
  main.setAttribute("aria-busy", "true");
  connect();
}

const isLive = () => connection.dataset.state === "live";

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-soft]") : null;
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!(link instanceof HTMLAnchorElement) || !plain || !isLive()) return;
  event.preventDefault();
  go(new URL(link.href), "pushState");
});

/** @param {EventTarget | null} target */
function filterForm(target) {
  return target instanceof Element ? target.closest("form") : null;
}

/** @param {HTMLFormElement} form */
function addressOf(form) {
  const url = new URL("/", location.href);
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "") url.searchParams.set(name, value);
  }
  return url;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;

main.addEventListener("input", ({ target }) => {
  const form = filterForm(target);
  if (form === null) return;
  clearTimeout(typing);
  typing = setTimeout(() => isLive() && go(addressOf(form), "replaceState"), typingPauseMs);
});

main.addEventListener("submit", (event) => {
  const form = filterForm(event.target);
  if (form === null || !isLive()) return;
  event.preventDefault();
  clearTimeout(typing);
  go(addressOf(form), "pushState");
});

addEventListener("popstate", () => {
  const params = new URLSearchParams(location.search);
  for (const field of main.querySelectorAll("input, select")) {
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = params.get(field.name) ?? "";
  }
  connect();
});

document.addEventListener("keydown", (event) => {
  const typingNow = event.target instanceof Element && event.target.closest("input, select, textarea") !== null;
  if (event.key !== "/" || typingNow || event.ctrlKey || event.metaKey || event.altKey) return;
  const filter = document.getElementById("q");
  if (filter === null) return;
  event.preventDefault();
  filter.focus();
});

// A page that nobody sees needs no stream, and browsers allow only a few at once.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    source?.close();
    clearTimeout(retry);
  } else {
    connect();
  }
});

document.documentElement.classList.add("scripted");
showAges(document);
setInterval(() => showAges(document), 1000);
connect();
