import type { Shoot } from "@kyma-operators/gardener";
import { z } from "zod";
import type { CustomConfig, Runtime } from "../../../apis/infrastructure/index.ts";
import { conversionErrors } from "./errors.ts";

const text = z.string();
const meta = z.looseObject({
  name: text.optional(),
  namespace: text.optional(),
  generation: z.number().optional(),
  labels: z.record(text, text).optional(),
  annotations: z.record(text, text).optional(),
});

const worker = z.looseObject({
  name: text,
  minimum: z.number(),
  maximum: z.number(),
  machine: z.looseObject({ type: text, image: z.looseObject({}).optional() }),
  zones: z.array(text).optional(),
  providerConfig: z.looseObject({}).optional(),
});

const runtime = z.looseObject({
  kind: z.literal("Runtime"),
  metadata: meta,
  spec: z.looseObject({
    shoot: z.looseObject({
      name: text,
      purpose: text,
      platformRegion: text,
      region: text,
      secretBindingName: text,
      kubernetes: z.looseObject({ version: text.optional() }).optional(),
      networking: z.looseObject({ type: text.optional(), nodes: text, pods: text, services: text }),
      provider: z.looseObject({
        type: text,
        workers: z.array(worker),
        additionalWorkers: z.array(worker).optional(),
      }),
    }),
    security: z.looseObject({
      administrators: z.array(text),
      networking: z.looseObject({
        filter: z.looseObject({
          egress: z.looseObject({ enabled: z.boolean() }),
          ingress: z.looseObject({ enabled: z.boolean() }).optional(),
        }),
      }),
    }),
  }),
});

const shoot = z.looseObject({
  kind: z.literal("Shoot"),
  metadata: meta,
  spec: z.looseObject({
    region: text,
    kubernetes: z.looseObject({ version: text }),
    provider: z.looseObject({ type: text, workers: z.array(worker).optional() }),
    extensions: z.array(z.looseObject({ type: text })).optional(),
    resources: z.array(z.looseObject({ name: text })).optional(),
  }),
});

const customConfig = z.looseObject({
  kind: z.literal("CustomConfig"),
  spec: z.looseObject({ caches: z.array(z.looseObject({ upstream: text })).optional() }).optional(),
});

/**
 * Checks that a value from a file has the shape of a Runtime as far as a conversion reads it; what it means is checked
 * by the conversion and by validation.
 *
 * @param source - how the error names the value. Throws `CONVERSION_NOT_READABLE`.
 */
export function parseRuntime(value: unknown, source: string): Runtime {
  return parse(runtime, value, source) as unknown as Runtime;
}

/** The same for a Shoot. Throws `CONVERSION_NOT_READABLE`. */
export function parseShoot(value: unknown, source: string): Shoot {
  return parse(shoot, value, source) as unknown as Shoot;
}

/** The same for a CustomConfig. Throws `CONVERSION_NOT_READABLE`. */
export function parseCustomConfig(value: unknown, source: string): CustomConfig {
  return parse(customConfig, value, source) as unknown as CustomConfig;
}

function parse<T>(schema: z.ZodType<T>, value: unknown, source: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${fieldOf(path)}: ${message}`);
  throw conversionErrors.NOT_READABLE({ source, problems });
}

/** The path as validation writes it: `spec.shoot.provider.workers[0].minimum`. */
function fieldOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "document";
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}
