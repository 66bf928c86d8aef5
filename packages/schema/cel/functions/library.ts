import { conversions } from "./conversions.ts";
import { lists, optionals } from "./lists.ts";
import { namedFormats } from "./named-formats.ts";
import { network } from "./network.ts";
import { operators } from "./operators.ts";
import { quantities } from "./quantity.ts";
import type { Overload } from "./registry.ts";
import { semvers } from "./semver.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { urls } from "./url.ts";

const all = [
  ...operators,
  ...conversions,
  ...strings,
  ...lists,
  ...optionals,
  ...times,
  ...network,
  ...quantities,
  ...semvers,
  ...urls,
  ...namedFormats,
];

const byName: ReadonlyMap<string, readonly Overload[]> = Map.groupBy(all, ({ name }) => name);

/** Every signature of a function, global and member ones alike; undefined when there is no such function. */
export function overloadsOf(name: string): readonly Overload[] | undefined {
  return byName.get(name);
}
