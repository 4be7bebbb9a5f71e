/** Takes what is least out of many numbers, of which only the first few are ever wanted. */
export interface Heap {
  /** Index of the least number that was not taken yet, and the number; `null` at the end. */
  readonly take: () => { readonly index: number; readonly key: number } | null;
}

export function heapOf(keys: Float64Array): Heap {
  const heap = Uint32Array.from(keys, (_, index) => index);
  let size = heap.length;
  const keyAt = (place: number): number => keys[heap[place] ?? 0] ?? Infinity;
  const sift = (from: number): void => {
    const moving = heap[from] ?? 0;
    const key = keys[moving] ?? Infinity;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keyAt(child + 1) < keyAt(child)) child++;
      if (keyAt(child) >= key) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = moving;
  };
  for (let at = (size >> 1) - 1; at >= 0; at--) sift(at);
  return {
    take: () => {
      if (size === 0) return null;
      const index = heap[0] ?? 0;
      size--;
      heap[0] = heap[size] ?? 0;
      sift(0);
      return { index, key: keys[index] ?? Infinity };
    },
  };
}
