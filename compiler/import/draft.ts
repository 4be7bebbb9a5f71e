/** A `.cdr` file in the making: what it says, and what of it was guessed. */

/** One `name = value`; `guessed` says why nothing that was read says so. */
export interface Property {
  readonly kind: "property";
  readonly name: string;
  /** As the language writes it. */
  readonly value: string;
  readonly guessed?: string;
}

export interface Block {
  readonly kind: "block";
  /** `stage pretrain`, `layout`, `raw megatron`. */
  readonly header: string;
  /** A sentence above it. */
  readonly doc?: string;
  readonly members: readonly Member[];
}

/** A remark on the members below it. */
export interface Note {
  readonly kind: "note";
  readonly text: string;
}

export type Member = Property | Block | Note;

export interface Draft {
  /** The sentence that opens the file. */
  readonly title: string;
  readonly imports: readonly { readonly from: string; readonly names: readonly string[] }[];
  /** Lines such as `param out: Path = …`. */
  readonly declarations: readonly string[];
  readonly blocks: readonly Block[];
}

export function property(name: string, value: string, guessed?: string): Property {
  return { kind: "property", name, value, ...(guessed === undefined ? {} : { guessed }) };
}

export function block(header: string, members: readonly Member[], doc?: string): Block {
  return { kind: "block", header, members, ...(doc === undefined ? {} : { doc }) };
}

export function note(text: string): Note {
  return { kind: "note", text };
}

/** Members under a condition. */
export function when(condition: boolean, ...members: readonly Member[]): readonly Member[] {
  return condition ? members : [];
}
