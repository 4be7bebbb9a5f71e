/** Stands for `node:fs` and for the search of the package's folder: the files of the package that the compiler reads, inlined. */
import files from "virtual:package-files";

const contents = new Map(Object.entries(files));

export const packageRoot = (): string => "";
export const existsSync = (path: string): boolean => contents.has(path);

export function readFileSync(path: string): string {
  const text = contents.get(path);
  if (text === undefined) throw new Error(`the page does not hold ${path}`);
  return text;
}
