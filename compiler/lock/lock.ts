/** What `<file>.lock` holds: digests of everything that a file reads. Paths are relative to the folder of the file. */
export interface Digest {
  readonly files: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Lock {
  readonly lock: 1;
  readonly edition: number;
  /** Files that it imports, and those of the standard library. */
  readonly imports: Readonly<Record<string, string>>;
  /** Local files, folders and globs that data, tokenizers and environments read; `null` where nothing is there yet. */
  readonly paths: Readonly<Record<string, Digest | null>>;
  /** Repositories of the Hub with the revision that is written; `null` where none is. */
  readonly hub: Readonly<Record<string, string | null>>;
  /** Images of registries with the digest that is written; `null` where none is. */
  readonly images: Readonly<Record<string, string | null>>;
  /** Python sources of plugins. */
  readonly plugins: Readonly<Record<string, string>>;
}

/** `null` for a text that is no lock of this version. */
export function parseLock(text: string): Lock | null {
  try {
    const found = JSON.parse(text) as Partial<Lock>;
    const parts = [found.imports, found.paths, found.hub, found.plugins];
    if (found.lock !== 1 || !parts.every((part) => typeof part === "object")) return null;
    return { ...(found as Lock), images: found.images ?? {} };
  } catch {
    return null;
  }
}

/** Keys in order, so that two locks of the same things are the same bytes. */
export function lockText(lock: Lock): string {
  const sorted = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  const { lock: version, ...rest } = lock;
  return `${JSON.stringify({ lock: version, ...(JSON.parse(JSON.stringify(rest, sorted)) as object) }, null, 2)}\n`;
}
