/** The least value of each of the best kinds. */
export interface ShortList {
  readonly offer: (kind: string, value: number) => void;
  /** The largest of the list once it is full. */
  readonly limit: () => number;
  readonly first: () => number;
  readonly length: () => number;
}

export function shortList(most: number): ShortList {
  const list: { readonly kind: string; readonly value: number }[] = [];
  return {
    offer: (kind, value) => {
      const known = list.findIndex((one) => one.kind === kind);
      if (known >= 0) {
        if ((list[known]?.value ?? 0) <= value) return;
        list.splice(known, 1);
      }
      const place = list.findIndex((one) => one.value > value);
      list.splice(place < 0 ? list.length : place, 0, { kind, value });
      if (list.length > most) list.pop();
    },
    limit: () => (list.length < most ? Infinity : (list[most - 1]?.value ?? Infinity)),
    first: () => list[0]?.value ?? Infinity,
    length: () => list.length,
  };
}
