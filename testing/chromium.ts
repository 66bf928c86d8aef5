import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Debian's package; other systems name theirs. */
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Starts a real browser without a window. */
export function startChromium(): Promise<Browser> {
  // Its sandbox needs rights that the administrator of a container does not have.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** A page, and what a careful visitor would notice of it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, and failed loads; each should be none. */
  readonly complaints: readonly string[];
  /** Origins that were asked for anything. */
  readonly origins: ReadonlySet<string>;
}

/** Opens a page that nobody has been to. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  return { page, complaints, origins };
}

/** What axe-core finds wrong with a page by the rules of WCAG 2.2 AA and its own best practices, one line each. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's content security policy does not concern.
  await page.evaluate(axe.source);
  const violations = await page.evaluate<readonly Violation[]>("axe.run().then(({ violations }) => violations)");
  return violations.map(({ id, help, nodes }) => {
    const where = nodes.map(({ target }) => target.join(" ")).join(", ");
    return `${id}: ${help}: ${where}`;
  });
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
