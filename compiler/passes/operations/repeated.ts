import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Value } from "../../../dsl/types/value.ts";
import { saidIn } from "./references.ts";
import { twiceIn } from "./seldom.ts";

export const repeated = (blocks: readonly Instance[]): Diagnostic[] =>
  blocks.flatMap((block) => saidIn(block).flatMap((said) => (mayRepeat(said.value) ? twiceIn(said) : [])));

/** Whether a list may hold something twice; most do not, and open no door. */
const mayRepeat = (value: Value): boolean =>
  value.kind === "list"
    ? new Set(value.items.map((item) => core(item.value))).size < value.items.length
    : value.kind === "choice" && [...value.arguments.values()].some((argument) => mayRepeat(argument.value));

/** What of a value is the same if the value is. */
const core = (value: Value): unknown =>
  "value" in value ? value.value : "block" in value ? value.block : "name" in value ? value.name : value.kind;
