/** A file to begin with, and those that it imports. */
export interface Example {
  /** Folder of `examples/`; empty for a file of its own. */
  readonly group: string;
  /** The file that is shown first. */
  readonly main: string;
  /** Texts by name. */
  readonly files: Readonly<Record<string, string>>;
}
