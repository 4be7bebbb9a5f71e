/** What somebody knows of the keys of open blocks: `raw deepspeed { … }`. The language itself takes any. */
export interface OpenKeys {
  /** Names that an open block may have, by the kind of block it stands in. */
  readonly names: (around: string) => readonly OpenName[];
  /** The keys of a section of it; `null` where nobody knows them. */
  readonly keys: (around: string, path: readonly string[]) => readonly OpenKey[] | null;
}

export interface OpenName {
  readonly name: string;
  readonly doc: string;
}

export interface OpenKey {
  readonly name: string;
  /** Other spellings of it. */
  readonly also?: readonly string[];
  readonly type: string;
  /** Markdown. */
  readonly doc: string;
  /** As they are written; none where any will do. */
  readonly values: readonly string[];
  readonly isSection: boolean;
  readonly isDeprecated: boolean;
}

export const noOpenKeys: OpenKeys = { names: () => [], keys: () => null };

/** Where an open block is read: the kind of block around it, and its name with those of the sections inside it. */
export interface OpenPlace {
  readonly around: string;
  readonly path: readonly string[];
}

export function openKey({ names: _, keys }: OpenKeys, { around, path }: OpenPlace): OpenKey | null {
  const name = path.at(-1);
  return (
    keys(around, path.slice(0, -1))?.find((key) => key.name === name || key.also?.includes(name ?? "") === true) ??
    null
  );
}
