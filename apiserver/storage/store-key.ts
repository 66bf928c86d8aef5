/** Where one object is kept. */
export interface StoreKey {
  /** `group/plural`: all versions of one resource share it. */
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
}

/** One text per place; `\u0000` stands in no collection, namespace or name. */
export const formatStoreKey = ({ collection, namespace, name }: StoreKey): string =>
  [collection, namespace, name].join("\u0000");
