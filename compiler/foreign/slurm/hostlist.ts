/** Hosts in a list as Slurm writes it: `n[1-4,7],login2`; `null` where it names a file or is not known. */
export function hostsIn(list: string): number | null {
  if (!/^[\w.,[\]-]+$/.test(list)) return null;
  const parts = list.match(/(?:[^,[\]]|\[[^\]]*\])+/g) ?? [];
  const counts = parts.map((part) =>
    [...part.matchAll(/\[([^\]]*)\]/g)].reduce((product, [, ranges = ""]) => product * inRanges(ranges), 1),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Number.isFinite(total) && total > 0 ? total : null;
}

function inRanges(ranges: string): number {
  return ranges.split(",").reduce((sum, range) => {
    const [first = "", last = first] = range.split("-");
    return sum + (Number(last) - Number(first) + 1);
  }, 0);
}
