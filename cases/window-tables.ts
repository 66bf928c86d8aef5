import { textOf } from "@kyma-operators/errors";
import { parseDurationMs } from "../apis/duration.ts";
import type { Kyma, ModuleStatus } from "../apis/operator/kyma.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";
import { formatRfc3339, parseRfc3339 } from "../modules/maintenance/calendar.ts";
import { parsePolicy } from "../modules/maintenance/policy.ts";
import { needsWindow } from "../modules/maintenance/upgrade-gate.ts";
import { findWindow, isActive, type RuntimeAttributes } from "../modules/maintenance/window.ts";

export interface WindowInput {
  readonly at: string;
  /** Name of a policy of the file. */
  readonly policy?: string;
  readonly policyText?: string;
  readonly runtime: RuntimeAttributes;
  readonly ongoing?: boolean;
  readonly minWindowSize?: string;
  readonly firstMatchOnly?: boolean;
  readonly fallbackDefault?: boolean;
  readonly unknownOption?: unknown;
}

export type Policies = Readonly<Record<string, unknown>>;

/** The policy of a row as text. */
export function policyText({ policy, policyText: text }: WindowInput, policies: Policies): string {
  return text ?? JSON.stringify(policies[policy ?? ""]);
}

/** Answers one row of `maintenance-windows.json`. */
export function windowRow(input: WindowInput, policies: Policies): unknown {
  const atMs = parseRfc3339(input.at)?.ms ?? Number.NaN;
  try {
    const window = findWindow(parsePolicy(policyText(input, policies)), input.runtime, atMs, optionsOf(input));
    return {
      active: isActive(window, atMs),
      begin: formatRfc3339(window.beginMs, window.beginOffset),
      end: formatRfc3339(window.endMs, window.endOffset),
    };
  } catch (error) {
    return { error: textOf(error) };
  }
}

function optionsOf(input: WindowInput): readonly unknown[] {
  const { ongoing, minWindowSize, firstMatchOnly, fallbackDefault, unknownOption } = input;
  return [
    ongoing === undefined ? undefined : { ongoing },
    minWindowSize === undefined ? undefined : { minWindowMs: parseDurationMs(minWindowSize) },
    firstMatchOnly === undefined ? undefined : { firstMatchOnly },
    fallbackDefault === undefined ? undefined : { fallbackDefault },
    unknownOption,
  ].filter((option) => option !== undefined);
}

interface RequiredInput {
  readonly module: string;
  readonly requiresDowntime: boolean;
  readonly skip: boolean;
  readonly statusModule?: string;
  readonly statusVersion?: string;
  readonly templateVersion: string;
}

export function requiredRow(input: RequiredInput): unknown {
  const { module, requiresDowntime, skip, statusModule, statusVersion, templateVersion } = input;
  const template = { spec: { requiresDowntime, version: templateVersion } } as unknown as ModuleTemplate;
  const entry = { name: statusModule, version: statusVersion } as ModuleStatus;
  return needsWindow(
    template,
    { spec: { skipMaintenanceWindows: skip } } as Kyma,
    statusModule === module ? entry : undefined,
  );
}
