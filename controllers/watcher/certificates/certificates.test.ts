import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, test } from "@jest/globals";
import { createMetrics } from "@kyma-operators/runtime";
import { gatewayExpiryMetric, OverdueCertificates } from "../metrics.ts";
import { issueAgentCertificate, issueRoot } from "./built-in-ca.ts";
import { planGatewaySecret, withoutExpired, withRoot } from "./gateway-secret.ts";
import { commonNameOf, parseBundle } from "./pem.ts";

const start = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const days = (from: number, to: number) => ({ fromMs: start + from * day, toMs: start + to * day });

describe("the built-in CA", () => {
  test("issues certificates that its root vouches for, with the runtime as their name", async () => {
    const root = await issueRoot(["listener.example.test", "127.0.0.1"], days(0, 90));
    const agent = await issueAgentCertificate(
      root,
      { commonName: "rt-1", dnsNames: ["skr-webhook.kyma-system.svc"] },
      days(0, 60),
    );
    const [ca, own] = [new X509Certificate(root.crt), new X509Certificate(agent.crt)];
    ok(own.verify(ca.publicKey) && own.checkIssued(ca) && ca.ca && !own.ca);
    ok(own.checkPrivateKey(createPrivateKey(agent.key)));
    equal(commonNameOf(own), "rt-1");
    equal(own.checkHost("skr-webhook.kyma-system.svc"), "skr-webhook.kyma-system.svc");
    equal(ca.checkIP("127.0.0.1"), "127.0.0.1");
  });
});

describe("rotating the CA of the gateway", () => {
  const settings = { graceMs: 4 * day };

  test("the new root is trusted first, shown later, and the old one leaves when it ends (U134, U135)", async () => {
    const [first, second] = [await issueRoot(["a.test"], days(0, 90)), await issueRoot(["a.test"], days(60, 150))];
    const created = planGatewaySecret(first, undefined, settings, start);
    deepEqual([created.crt, created.caAddedAt], [first.crt, "2026-01-01T00:00:00Z"]);
    equal(
      JSON.stringify(planGatewaySecret(first, created, settings, start + day)),
      JSON.stringify(created),
      "nothing to do changes nothing",
    );

    const bundled = planGatewaySecret(second, created, settings, start + 60 * day);
    equal(parseBundle(bundled.ca)?.length, 2);
    equal(bundled.crt, first.crt, "agents that know only the old root are still served by it");
    const switched = planGatewaySecret(second, bundled, settings, start + 64 * day + 1);
    deepEqual([switched.crt, switched.key], [second.crt, second.key]);
    equal(parseBundle(planGatewaySecret(second, switched, settings, start + 91 * day).ca)?.length, 1);
  });

  test("a Secret that does not say when its CA was added is refused (U135)", async () => {
    const root = await issueRoot(["a.test"], days(0, 90));
    throws(
      () => planGatewaySecret(root, { ...root, caAddedAt: "yesterday" }, settings, start),
      /caAddedToBundleAt is "yesterday"/,
    );
  });

  test("what is no bundle is left as it is (U134)", () => {
    equal(withRoot("no certificates", "none"), "no certificates");
    equal(withoutExpired("no certificates", start), "no certificates");
  });
});

describe("what operators see of certificates", () => {
  const textOf = async (registry: ReturnType<typeof createMetrics>): Promise<string> => (await registry.scrape()).text;

  test("a certificate from before the newest CA is overdue until it is renewed (E170, E171)", async () => {
    const registry = createMetrics();
    const overdue = new OverdueCertificates(registry);
    const root = await issueRoot(["klm.example.org"], days(0, 90));
    const issued = await issueAgentCertificate(root, { commonName: "rt-1", dnsNames: ["a"] }, days(0, 60));
    const validity = { notBeforeMs: start, notAfterMs: start + 60 * day };
    const certificate = { ...issued, revision: "1", validity };
    overdue.show("runtime-1", certificate, start + 2 * day);
    ok((await textOf(registry)).includes('lifecycle_mgr_self_signed_cert_not_renew{kyma_name="runtime-1"} 1'));
    overdue.show("runtime-1", certificate, start - day);
    equal((await textOf(registry)).includes("runtime-1"), false);
  });

  test("a gateway certificate that is about to end shows as 1 (E172, E173)", async () => {
    const registry = createMetrics();
    const show = gatewayExpiryMetric(registry);
    show(false);
    ok((await textOf(registry)).includes("lifecycle_mgr_gateway_secret_server_cert_close_to_expiry 0"));
    show(true);
    ok((await textOf(registry)).includes("lifecycle_mgr_gateway_secret_server_cert_close_to_expiry 1"));
  });
});
