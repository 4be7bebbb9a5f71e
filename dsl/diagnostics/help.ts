/** What a reader types to have a code explained: cause, example and fix. */
export function helpFor(code: string): string {
  return `cdrc explain ${code.replace(/^cdr\//, "")}`;
}
