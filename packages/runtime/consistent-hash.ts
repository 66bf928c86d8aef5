/** A 32-bit hash of a text (FNV-1a with a final avalanche). Stable: shards and tests depend on it. */
export function hash32(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The shard of a name among `shards`, by rendezvous hashing: one more shard takes only the keys that become its own. */
export function shardOf(name: string, shards: number): number {
  let [best, most] = [0, -1];
  for (let shard = 0; shard < shards; shard += 1) {
    const weight = hash32(`${shard}/${name}`);
    if (weight > most) [best, most] = [shard, weight];
  }
  return best;
}

/**
 * Gives every shard to a member, none to more than `⌈shards / members⌉`.
 *
 * Each shard ranks the members by rendezvous hashing and goes to the first one that has room, so every replica that
 * sees the same members comes to the same answer, and a member that comes or goes moves few shards.
 */
export function assignShards(shards: number, members: readonly string[]): ReadonlyMap<number, string> {
  const assigned = new Map<number, string>();
  if (members.length === 0) return assigned;
  const room = new Map(members.map((member) => [member, Math.ceil(shards / members.length)]));
  for (let shard = 0; shard < shards; shard += 1) {
    const ranked = members.map((member) => ({ member, weight: hash32(`${shard}@${member}`) }));
    ranked.sort((a, b) => b.weight - a.weight || (a.member < b.member ? -1 : 1));
    const chosen = ranked.find(({ member }) => (room.get(member) ?? 0) > 0)?.member;
    if (chosen === undefined) continue;
    room.set(chosen, (room.get(chosen) ?? 0) - 1);
    assigned.set(shard, chosen);
  }
  return assigned;
}
