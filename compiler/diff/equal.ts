/** Whether two facts say the same. */
import type { Fact } from "./facts.ts";

export function isEqual(before: Fact, after: Fact): boolean {
  if (before.converted !== undefined && before.converted === after.converted) return true;
  const [a, b] = [before.meaning ?? before.value, after.meaning ?? after.value];
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  // Sums of the same terms in another order are the same number.
  return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}
