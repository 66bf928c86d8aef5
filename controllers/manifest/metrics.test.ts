import { doesNotMatch, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { createMetrics as createRegistry } from "@kyma-operators/runtime";
import { createMetrics } from "./metrics.ts";

const text = async (registry: ReturnType<typeof createRegistry>): Promise<string> => (await registry.scrape()).text;

describe("metrics", () => {
  test("a mandatory module shows one state of all, until its Manifest is gone (E076, E077)", async () => {
    const registry = createRegistry();
    const metrics = createMetrics(registry);
    metrics.mandatoryState("m", { name: "alpha", kyma: "one", state: "Processing" });
    metrics.mandatoryState("m", { name: "alpha", kyma: "one", state: "Ready" });

    match(
      await text(registry),
      /lifecycle_mgr_mandatory_module_state\{module_name="alpha",kyma_name="one",state="Ready"\} 1/,
    );
    match(
      await text(registry),
      /lifecycle_mgr_mandatory_module_state\{module_name="alpha",kyma_name="one",state="Processing"\} 0/,
    );
    metrics.forget("m");
    doesNotMatch(await text(registry), /module_name="alpha"/);
  });

  test("only passes of a minute or longer have a series of their own (fault 41)", async () => {
    const registry = createRegistry();
    const metrics = createMetrics(registry);
    metrics.tookLong("quick", 59);
    metrics.tookLong("slow", 61);
    match(await text(registry), /reconcile_duration_seconds\{manifest_name="slow"\} 61/);
    doesNotMatch(await text(registry), /manifest_name="quick"/);
    metrics.tookLong("slow", 1);
    doesNotMatch(await text(registry), /manifest_name="slow"/);
  });

  test("what was done is counted by action", async () => {
    const registry = createRegistry();
    const metrics = createMetrics(registry);
    metrics.applied(3);
    metrics.pruned(0);
    metrics.rendered("memory");
    metrics.renderedIn(0.2);
    metrics.requeued("manifest_orphaned", "unexpected");

    match(await text(registry), /kyma_manifest_objects_total\{action="applied"\} 3/);
    match(await text(registry), /kyma_manifest_renders_total\{tier="memory"\} 1/);
    match(await text(registry), /kyma_manifest_render_seconds_sum 0\.2/);
    match(
      await text(registry),
      /lifecycle_mgr_requeue_reason_total\{requeue_reason="manifest_orphaned",requeue_type="unexpected"\} 1/,
    );
  });
});
