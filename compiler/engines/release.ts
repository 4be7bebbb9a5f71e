/** Is the first version below the second? Parts that are no numbers count as 0. */
export function below(version: string, limit: string): boolean {
  const parts = (text: string): readonly number[] =>
    text.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [a, b] = [parts(version), parts(limit)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
