import { isIP } from "node:net";
import { listAt, textAt, valueAt } from "./json.ts";
import type { Problems } from "./problems.ts";

/** Address ranges: readable, canonical and of the Shoot's family. */
export function validateNetworking(spec: unknown, problems: Problems): void {
  const hasWorkers = listAt(spec, "provider", "workers").length > 0;
  if (hasWorkers && textAt(spec, "networking", "type") === "") {
    problems.required("spec.networking.type", "networking type must be provided");
  }
  const families = listAt(spec, "networking", "ipFamilies");
  for (const key of ["nodes", "pods", "services"]) {
    const value = valueAt(spec, "networking", key);
    if (typeof value === "string") validateCidr(`spec.networking.${key}`, value, { families, problems });
  }
}

interface CidrContext {
  readonly families: readonly unknown[];
  readonly problems: Problems;
}

function validateCidr(field: string, value: string, { families, problems }: CidrContext): void {
  const [address = "", length = ""] = value.split("/");
  const isReadable = /^\d{1,3}$/.test(length) && isIP(address) !== 0;
  const wrong = isReadable ? familyProblem(address, families) : `invalid CIDR address: ${value}`;
  const detail = wrong ?? (isCanonical(address, Number(length)) ? undefined : "must be valid canonical CIDR");
  if (detail !== undefined) problems.invalid(field, value, detail);
}

/** A Shoot with two families takes addresses of both. */
function familyProblem(address: string, families: readonly unknown[]): string | undefined {
  if (families.length > 1) return undefined;
  const [family = "IPv4"] = families.map(String);
  return `IPv${isIP(address)}` === family ? undefined : `must be a valid ${family} address`;
}

function isCanonical(address: string, prefix: number): boolean {
  if (isIP(address) !== 4) return true;
  const number = address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
  return number % 2 ** (32 - prefix) === 0;
}
