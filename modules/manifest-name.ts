const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/**
 * The 32-bit FNV-1 hash (multiply, then xor) of the UTF-8 bytes of a text, as an unsigned number.
 * Algorithm: Fowler, Noll, Vo.
 */
export function fnv1(text: string): number {
  let hash = offsetBasis;
  for (const byte of new TextEncoder().encode(text)) hash = (Math.imul(hash, prime) ^ byte) >>> 0;
  return hash;
}

/** A Manifest's name is also a label value, so it must stay below the limit of 63. */
const longest = 62;

/**
 * Name of the Manifest of a module: Kyma name, last path segment of the component, hash of component and module.
 *
 * Long names are cut; the dashes at which a cut name ends are dropped, because a label value must not end in one.
 */
export function manifestName(kymaName: string, componentName: string, moduleName: string): string {
  const segment = componentName.slice(componentName.lastIndexOf("/") + 1);
  const name = `${kymaName}-${segment}-${fnv1(componentName + moduleName)}`;
  return name.length > longest ? name.slice(0, longest).replace(/-+$/, "") : name;
}
