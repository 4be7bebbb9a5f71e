/** What a Python callable takes, as its source says; nothing is imported. */
export interface SignatureRequest {
  /** `package.module:name`. */
  readonly factory: string;
  /** Folders that the package may stand in. */
  readonly roots: readonly string[];
}

export interface PythonParameter {
  readonly name: string;
  readonly required: boolean;
  /** As written: `int`, `float`, `Optional[str]`. */
  readonly annotation: string | null;
  /** Whether it can be given by its name: not before a `/`. */
  readonly named: boolean;
}

export type Signature =
  | {
      readonly status: "found";
      readonly path: string;
      readonly parameters: readonly PythonParameter[];
      /** It takes any keyword, or nobody can say what it takes. */
      readonly any: boolean;
    }
  /** The module has no such name. */
  | { readonly status: "name"; readonly path: string; readonly names: readonly string[] }
  /** The name stands for something that cannot be called, or for a coroutine, which a call only begins. */
  | { readonly status: "value"; readonly path: string; readonly line: number; readonly async: boolean }
  /** Only running the module would tell. */
  | { readonly status: "unread"; readonly why: string }
  /** No file of the module can be found. */
  | { readonly status: "module" }
  /** The file is no Python. */
  | { readonly status: "source"; readonly path: string; readonly line: number };

/** Reads signatures, in the order asked; `null` where there is no Python to read them with. */
export type ReadSignatures = (requests: readonly SignatureRequest[]) => readonly Signature[] | null;
