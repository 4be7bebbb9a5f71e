/** What a table says of a name that somebody wrote: `constructor` and its kin are in no table. */
export const inTable = <Value>(
  table: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined => (table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined);
