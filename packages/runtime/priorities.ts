/** Why a key is looked at, most urgent first. A larger number goes first. */
export const priority = {
  /** A person (or another program) changed the object itself: its spec, labels, annotations or deletion. */
  change: 30,
  /** Something the object depends on has moved on. */
  generation: 20,
  /** A pass asked to be run again, or failed. */
  retry: 10,
  /** First list after a start, and safety nets. */
  resync: 0,
} as const;
