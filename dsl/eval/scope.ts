import type { Module } from "../symbols/symbol.ts";
import type { Valued } from "../types/value.ts";
import type { Instance } from "./blocks/instance.ts";

/** Where an expression stands: which names it sees. */
export interface Scope {
  readonly module: Module;
  /** Arguments of a function, the variable of a comprehension. */
  readonly locals: ReadonlyMap<string, Valued>;
  /** The innermost block around it, for kind words (`stage.length`); after `extends`, the block that inherits. */
  readonly self: Instance | null;
}
