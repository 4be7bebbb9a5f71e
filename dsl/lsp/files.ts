/** What the language server needs of a file system; a browser gives it what it has. */
export interface Files {
  readonly read: (path: string) => string | undefined;
  /** Changes whenever the file does; `undefined` where there is none. Asked often. */
  readonly stamp: (path: string) => string | undefined;
  /** The `.cdr` files below a folder. */
  readonly list: (folder: string) => readonly string[];
  /** Names in a folder; those of folders end in `/`. */
  readonly entries: (folder: string) => readonly string[];
  /** The address under which a file of the standard library can be opened. */
  readonly standardUri: (path: string) => string | null;
}

export const noFiles: Files = {
  read: () => undefined,
  stamp: () => undefined,
  list: () => [],
  entries: () => [],
  standardUri: () => null,
};
