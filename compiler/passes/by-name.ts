/** The first of each name, so that many are found in no more time than they are. */
export function byName<T extends { readonly name: string | null }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.toReversed().flatMap((each) => (each.name === null ? [] : [[each.name, each] as const])));
}
