import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { inspect } from "node:util";
import { describe, test } from "@jest/globals";
import { hasCode, Secret } from "@kyma-operators/errors";
import { createRegistryClient, type RegistryClient, type RegistryClientOptions } from "./client.ts";
import type { Credential } from "./credentials.ts";
import { digestOf } from "./digest.ts";
import { parseReference, parseRepository } from "./reference.ts";
import type { PlainHttpPolicy } from "./session.ts";
import { ImpatientClock, type Reply, ScriptedRegistry, type Seen } from "./testing.ts";

const blob = "hello";
const digest = digestOf(blob);
const repository = parseRepository("reg.io/team/app");
const ok200: Reply = { status: 200, body: blob };

interface World {
  readonly client: RegistryClient;
  readonly registry: ScriptedRegistry;
  readonly clock: ImpatientClock;
}

function world(script: (request: Seen) => Reply | Error, options: RegistryClientOptions = {}): World {
  const registry = new ScriptedRegistry(script);
  const clock = new ImpatientClock();
  return {
    registry,
    clock,
    client: createRegistryClient({ transport: registry, clock, random: () => 0.5, ...options }),
  };
}

async function pull({ client }: World): Promise<string> {
  return Buffer.from(await client.pullBlob(repository, { digest })).toString();
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
}

const user = (password = "hunter2"): Credential => ({ username: "robot", password: new Secret(password) });
const bearer = 'Bearer realm="https://auth.io/token",service="reg.io"';

describe("credentials", () => {
  test("are not sent before the registry has asked", async () => {
    const w = world(() => ok200, { credentials: async () => user() });
    equal(await pull(w), blob);
    equal(w.registry.seen[0]?.headers["authorization"], undefined);
  });

  test("answer a Basic challenge, and are sent at once afterwards", async () => {
    const header = `Basic ${Buffer.from("robot:hunter2").toString("base64")}`;
    const w = world(
      ({ headers }) =>
        headers["authorization"] === header
          ? ok200
          : { status: 401, headers: { "www-authenticate": 'Basic realm="r"' } },
      { credentials: async () => user() },
    );
    await pull(w);
    await pull(w);
    equal(w.registry.seen.length, 3);
  });

  function tokenRegistry(lifetime = 300): (request: Seen) => Reply {
    let issued = 0;
    return ({ url, headers }) => {
      if (url.startsWith("https://auth.io/")) {
        issued += 1;
        return { status: 200, body: JSON.stringify({ token: `t${issued}`, expires_in: lifetime }) };
      }
      return headers["authorization"] === `Bearer t${issued}` && issued > 0
        ? ok200
        : { status: 401, headers: { "www-authenticate": bearer } };
    };
  }

  test("become a token with the scope of the request, kept until it expires", async () => {
    const w = world(tokenRegistry(), { credentials: async () => user() });
    await pull(w);
    await pull(w);
    const tokens = w.registry.seen.filter(({ url }) => url.startsWith("https://auth.io/"));
    equal(tokens.length, 1);
    equal(tokens[0]?.url, "https://auth.io/token?service=reg.io&scope=repository%3Ateam%2Fapp%3Apull");
    match(tokens[0]?.headers["authorization"] ?? "", /^Basic /);
    equal(tokens[0]?.guarded, true);
    w.clock.advance(271_000); // nine tenths of 300 s have passed
    await pull(w);
    equal(w.registry.seen.filter(({ url }) => url.startsWith("https://auth.io/")).length, 2);
  });

  test("are not needed for an anonymous token", async () => {
    const w = world(tokenRegistry());
    equal(await pull(w), blob);
    equal(w.registry.seen[1]?.headers["authorization"], undefined);
  });

  test("one token serves many requests at the same time", async () => {
    const w = world(tokenRegistry(), { credentials: async () => user() });
    await Promise.all(Array.from({ length: 20 }, () => pull(w)));
    equal(w.registry.seen.filter(({ url }) => url.startsWith("https://auth.io/")).length, 1);
  });

  test("a refresh token is exchanged by POST", async () => {
    const w = world(tokenRegistry(), { credentials: async () => ({ identityToken: new Secret("refresh") }) });
    await pull(w);
    const form = new URLSearchParams(w.registry.seen[1]?.body);
    deepEqual(
      [form.get("grant_type"), form.get("refresh_token"), form.get("scope")],
      ["refresh_token", "refresh", "repository:team/app:pull"],
    );
  });

  test("a registry token is sent as it is", async () => {
    const w = world(
      ({ headers }) =>
        headers["authorization"] === "Bearer given" ? ok200 : { status: 401, headers: { "www-authenticate": bearer } },
      { credentials: async () => ({ registryToken: new Secret("given") }) },
    );
    equal(await pull(w), blob);
  });

  test("are read again when the registry refuses them", async () => {
    let password = "old";
    const right = `Basic ${Buffer.from("robot:new").toString("base64")}`;
    const w = world(
      ({ headers }) =>
        headers["authorization"] === right ? ok200 : { status: 401, headers: { "www-authenticate": "Basic realm=r" } },
      { credentials: async () => user(password) },
    );
    equal(await codeOf(pull(w)), "OCI_UNAUTHORIZED");
    password = "new";
    equal(await pull(w), blob);
  });

  const refusals: readonly { name: string; reply: Reply; credential?: Credential; code: string; requests: number }[] = [
    {
      name: "a registry that asks for ever",
      reply: { status: 401, headers: { "www-authenticate": "Basic realm=r" } },
      credential: user(),
      code: "OCI_UNAUTHORIZED",
      requests: 2,
    },
    {
      name: "no credential for a Basic challenge",
      reply: { status: 401, headers: { "www-authenticate": "Basic realm=r" } },
      code: "OCI_UNAUTHORIZED",
      requests: 1,
    },
    {
      name: "a 401 without a challenge",
      reply: { status: 401 },
      credential: user(),
      code: "OCI_CHALLENGE_INVALID",
      requests: 1,
    },
    {
      name: "a scheme that cannot be answered",
      reply: { status: 401, headers: { "www-authenticate": "Negotiate" } },
      credential: user(),
      code: "OCI_CHALLENGE_INVALID",
      requests: 1,
    },
    {
      name: "a realm without TLS",
      reply: { status: 401, headers: { "www-authenticate": 'Bearer realm="http://auth.io/"' } },
      credential: user(),
      code: "OCI_CHALLENGE_INVALID",
      requests: 1,
    },
    {
      name: "a realm on this machine",
      reply: { status: 401, headers: { "www-authenticate": 'Bearer realm="https://127.0.0.1/"' } },
      credential: user(),
      code: "OCI_REDIRECT_REFUSED",
      requests: 1,
    },
    {
      name: "a realm on the link",
      reply: { status: 401, headers: { "www-authenticate": 'Bearer realm="https://169.254.169.254/"' } },
      credential: user(),
      code: "OCI_REDIRECT_REFUSED",
      requests: 1,
    },
    { name: "403", reply: { status: 403 }, credential: user(), code: "OCI_FORBIDDEN", requests: 1 },
  ];
  for (const { name, reply, credential, code, requests } of refusals) {
    test(`end with ${code} for ${name}, and appear in no text`, async () => {
      const w = world(() => reply, { credentials: async () => credential });
      const error: unknown = await pull(w).catch((caught: unknown) => caught);
      ok(hasCode(error, code), String(error));
      equal(w.registry.seen.length, requests);
      match((error as Error).message, /reg\.io/);
      const text = inspect(error, { depth: 9 });
      ok(!text.includes("hunter2") && !text.includes(Buffer.from("robot:hunter2").toString("base64")), text);
    });
  }

  for (const body of ["<html>", "{}", '{"token":"a\\r\\nx-evil: 1"}', '{"token":5}']) {
    test(`a token service that answers ${JSON.stringify(body)} is no success`, async () => {
      const w = world(({ url }) =>
        url.startsWith("https://auth.io")
          ? { status: 200, body }
          : { status: 401, headers: { "www-authenticate": bearer } },
      );
      match(await codeOf(pull(w)), /^OCI_(CHALLENGE_INVALID|NOT_A_REGISTRY)$/);
    });
  }

  test("a token service that refuses the user is told apart from one that is down", async () => {
    const answer = (status: number) => (request: Seen) =>
      request.url.startsWith("https://auth.io") ? { status } : { status: 401, headers: { "www-authenticate": bearer } };
    equal(await codeOf(pull(world(answer(401)))), "OCI_UNAUTHORIZED");
    equal(await codeOf(pull(world(answer(503)))), "OCI_UNAVAILABLE");
    equal(await codeOf(pull(world(answer(429)))), "OCI_THROTTLED");
  });
});

describe("retries", () => {
  for (const first of [{ status: 503 }, { status: 429 }, { status: 500 }, new Error("ECONNRESET")] as const) {
    test(`${first instanceof Error ? first.message : first.status} is tried again after a growing, jittered delay`, async () => {
      let tries = 0;
      const w = world(() => {
        tries += 1;
        return tries < 4 ? first : ok200;
      });
      equal(await pull(w), blob);
      deepEqual(w.clock.slept, [200, 400, 800]);
    });
  }

  test("Retry-After is honoured, in seconds and as a date", async () => {
    for (const value of ["7", new Date(1_000_000_007_000).toUTCString()]) {
      let tries = 0;
      const w = world(() => {
        tries += 1;
        return tries === 1 ? { status: 429, headers: { "retry-after": value } } : ok200;
      });
      await pull(w);
      deepEqual(w.clock.slept, [7_000], value);
    }
  });

  test("a long Retry-After is thrown rather than waited for", async () => {
    const w = world(() => ({ status: 429, headers: { "retry-after": "3600" } }));
    await rejects(pull(w), /throttles requests \(429\), next try in 3600 s/);
    deepEqual(w.clock.slept, []);
  });

  test("end after four tries with what went wrong", async () => {
    const down = world(() => ({ status: 502 }));
    await rejects(pull(down), /reg\.io answered 502/);
    equal(down.registry.seen.length, 4);
    const gone = world(() => Object.assign(new Error("getaddrinfo ENOTFOUND reg.io"), { code: "ENOTFOUND" }));
    await rejects(pull(gone), /cannot be reached: .*ENOTFOUND.*; check the host name/);
  });

  test("a refusal is not tried again and gives the registry's reason", async () => {
    const body = JSON.stringify({ errors: [{ code: "UNSUPPORTED", message: "no\nway" }] });
    const w = world(() => ({ status: 405, body }));
    await rejects(pull(w), /refused the request \(405\): UNSUPPORTED no\nway/);
    equal(w.registry.seen.length, 1);
  });

  test("stop when the caller gives up", async () => {
    const abort = new AbortController();
    const w = world(() => {
      abort.abort(new Error("enough"));
      return { status: 503 };
    });
    await rejects(w.client.pullBlob(repository, { digest }, { signal: abort.signal }), /enough/);
    equal(w.registry.seen.length, 1);
  });

  test("end at the deadline, which says so", async () => {
    const expired: (() => void)[] = [];
    const clock = {
      now: () => 0,
      sleep: async () => expired.forEach((fire) => fire()),
      after: (_: number, fire: () => void) => (expired.push(fire), () => undefined),
    };
    const w = world(() => ({ status: 503 }), { clock });
    await rejects(pull(w), /no complete answer within 600 s/);
  });
});

describe("redirects", () => {
  const redirectTo = (location: string) => (request: Seen) =>
    request.url.startsWith("https://reg.io/v2/") ? { status: 307, headers: { location } } : ok200;

  test("are followed without the credentials of the registry", async () => {
    const basicOnly = (request: Seen): Reply => {
      if (!request.url.startsWith("https://reg.io")) return ok200;
      return request.headers["authorization"] === undefined
        ? { status: 401, headers: { "www-authenticate": "Basic realm=r" } }
        : { status: 302, headers: { location: "https://cdn.io/blob?sig=1" } };
    };
    const w = world(basicOnly, { credentials: async () => user() });
    equal(await pull(w), blob);
    const last = w.registry.seen.at(-1);
    deepEqual(
      [last?.url, last?.headers["authorization"], last?.guarded],
      ["https://cdn.io/blob?sig=1", undefined, true],
    );
  });

  const refused = [
    { name: "to http", location: "http://cdn.io/", reason: /leads to http:/ },
    { name: "to a loopback address", location: "https://127.0.0.1:10250/", reason: /address of this machine/ },
    { name: "to a loopback address in decimal", location: "https://2130706433/", reason: /address of this machine/ },
    {
      name: "to a mapped loopback address",
      location: "https://[::ffff:127.0.0.1]/",
      reason: /address of this machine/,
    },
    { name: "to localhost", location: "https://localhost/", reason: /address of this machine/ },
    {
      name: "to the metadata service",
      location: "https://169.254.169.254/latest",
      reason: /address of this machine or its link/,
    },
    { name: "to a link-local IPv6 address", location: "https://[fe80::1]/", reason: /link/ },
    { name: "to a file", location: "file:///etc/passwd", reason: /leads to file:/ },
    { name: "to nowhere", location: "https://", reason: /no URL/ },
  ];
  for (const { name, location, reason } of refused) {
    test(`are refused ${name}`, async () => {
      const w = world(redirectTo(location));
      await rejects(pull(w), reason);
      equal(w.registry.seen.length, 1);
    });
  }

  test("end when they go in a circle", async () => {
    const w = world(() => ({ status: 302, headers: { location: "https://reg.io/v2/again" } }));
    await rejects(pull(w), /more than 5 redirects/);
    equal(w.registry.seen.length, 6);
  });

  test("are not followed by an upload", async () => {
    const w = world(({ method }) =>
      method === "HEAD" ? { status: 404 } : { status: 307, headers: { location: "https://evil.io/" } },
    );
    await rejects(w.client.pushBlob(repository, Buffer.from(blob)), /a POST is not redirected/);
  });

  test("a local registry may redirect to this machine, but not to its link", async () => {
    const local = (location: string): World => {
      const script = (request: Seen): Reply =>
        request.url.startsWith("http://localhost:1") ? { status: 302, headers: { location } } : ok200;
      return world(script, { plainHttp: "loopback" });
    };
    const pullLocal = (w: World): Promise<Uint8Array> =>
      w.client.pullBlob(parseRepository("localhost:1/a"), { digest });
    equal(Buffer.from(await pullLocal(local("http://127.0.0.1:2/b"))).toString(), blob);
    await rejects(pullLocal(local("http://169.254.169.254/b")), /REDIRECT|link/);
  });
});

describe("plain HTTP", () => {
  async function schemeFor(text: string, plainHttp: PlainHttpPolicy): Promise<string> {
    const w = world(() => ok200, { plainHttp });
    await w.client.pullBlob(parseReference(text), { digest });
    return new URL(w.registry.seen[0]?.url ?? "").protocol;
  }

  test("is used only where the reference or the policy says so", async () => {
    equal(await schemeFor("reg.io/a", "explicit"), "https:");
    equal(await schemeFor("http://reg.io/a", "explicit"), "http:");
    equal(await schemeFor("127.0.0.1:5000/a", "explicit"), "https:");
    equal(await schemeFor("127.0.0.1:5000/a", "loopback"), "http:");
    equal(await schemeFor("reg.io/a", "loopback"), "https:");
    equal(await schemeFor("reg.io:5000/a", { hosts: ["reg.io:5000"] }), "http:");
    equal(await schemeFor("reg.io/a", { hosts: ["reg.io:5000"] }), "https:");
    await rejects(schemeFor("http://reg.io/a", "never"), /plain http to reg.io is switched off/);
  });
});
