/** Takes what is least first; more may be put in between. What has no number for a key has no place in the order, and is left out. */
export interface Queue<T> {
  readonly put: (key: number, item: T) => void;
  /** `null` where it is empty, or all that is left is above `limit`. */
  readonly take: (limit: number) => T | null;
}

export function queueOf<T>(): Queue<T> {
  const keys: number[] = [];
  const items: T[] = [];
  const put = (key: number, item: T): void => {
    if (Number.isNaN(key)) return;
    let at = keys.length;
    keys.push(key);
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = keys[above] as number;
      if (other <= key) break;
      keys[at] = other;
      items[at] = items[above] as T;
      at = above;
    }
    keys[at] = key;
    items[at] = item;
  };
  const take = (limit: number): T | null => {
    const least = keys[0];
    if (least === undefined || least > limit) return null;
    const result = items[0] as T;
    const key = keys.pop() as number;
    const item = items.pop() as T;
    const size = keys.length;
    if (size === 0) return result;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && (keys[below + 1] as number) < (keys[below] as number)) below++;
      const other = keys[below] as number;
      if (other >= key) break;
      keys[at] = other;
      items[at] = items[below] as T;
      at = below;
    }
    keys[at] = key;
    items[at] = item;
    return result;
  };
  return { put, take };
}
