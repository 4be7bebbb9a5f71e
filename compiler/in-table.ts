/** What a table says of a name that a user wrote: `constructor` and its kin are in no table. */
export const inTable = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
