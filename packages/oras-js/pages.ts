import { collect } from "./body.ts";
import { oci } from "./errors.ts";
import type { Call, Session } from "./session.ts";

const pageLimitBytes = 4_194_304;
const pageLimit = 1_000;

/** The target of `Link: <…>; rel="next"`, which must stay with the registry. */
function nextPage(link: string | undefined, base: URL, call: Pick<Call, "ref" | "repository">): URL | undefined {
  const target = /<([^>]{1,4000})>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1];
  if (target === undefined) return undefined;
  const url = URL.parse(target, base.href);
  if (url?.origin === base.origin) return url;
  throw oci.REDIRECT_REFUSED({ ref: call.ref, host: call.repository.host, reason: "the next page is on another host" });
}

/**
 * Reads a paged list to its end. Answers nothing when the registry has no such list (404, if expected).
 *
 * @throws OCI_TOO_LARGE after 1,000 pages
 */
export async function collectPages<T>(
  session: Session,
  { call, url, parse }: { call: Omit<Call, "method" | "url">; url: string; parse: (bytes: Uint8Array) => readonly T[] },
): Promise<readonly T[] | undefined> {
  const found: T[] = [];
  let next: string | URL | undefined = url;
  for (let page = 0; next !== undefined; page += 1) {
    if (page >= pageLimit) throw oci.TOO_LARGE({ ref: call.ref, limitBytes: pageLimit * pageLimitBytes });
    const answer: Awaited<ReturnType<Session["send"]>> = await session.send({ ...call, method: "GET", url: next });
    if (answer.status === 404) {
      await answer.discard();
      return undefined;
    }
    found.push(...parse(await collect(answer.body, { ref: call.ref, limitBytes: pageLimitBytes })));
    next = nextPage(answer.headers["link"], answer.url, call);
  }
  return found;
}
