/** What the words of the grammar do, in one sentence each. */
const docs: ReadonlyMap<string, string> = new Map([
  ["import", "brings names of another file, without side effects"],
  ["as", "under another name"],
  ["param", "a value of the whole program, set by `--set`, a preset or the environment"],
  ["secret", "a key or token, read only on the machine of the run; only some properties take one"],
  ["let", "a name for a value"],
  ["fn", "a function without side effects or recursion"],
  ["enum", "a type with a fixed list of values"],
  ["abstract", "a template: it may be incomplete and is not run"],
  ["test", "run by `cdrc test`: applies its amendments to the file, then tests its assertions"],
  ["assert", "a condition that is tested before anything runs"],
  [
    "expect",
    "a condition that is watched during the run; `else warn`, `stop` or `rollback(to = best)` is the reaction",
  ],
  ["extends", "starts as a copy of another block"],
  ["after", "runs after other steps whose results it does not use"],
  ["on", "the hardware that it uses"],
  ["when", "the block exists only if this condition is true at compile time"],
  ["over", "for each point of a sweep"],
  ["preset", "the preset that applies; `--preset` chooses at most one"],
  ["with", "a copy with changes: of a block, or of a choice and its arguments"],
  ["if", "`if c then a else b`, a value"],
  ["then", "the value if the condition is true"],
  ["else", "the value otherwise; for an `expect`, the reaction if it fails"],
  ["match", "the value of the row that matches; the rows must cover all values"],
  ["for", "`[f(x) for x in xs]`: a list, item by item"],
  ["in", "is one of a list, or within a range"],
  ["and", "both hold"],
  ["or", "at least one is true"],
  ["not", "does not hold"],
  ["divides", "divides without a remainder: `a divides b`"],
  ["of", "a share of: `25% of m.layers`"],
  ["warn", "warns and continues"],
  ["at", "the value at one point of the run"],
]);

export const keywordDoc = (word: string): string | null => docs.get(word) ?? null;

/** Words that are values. */
const values: ReadonlyMap<string, string> = new Map([
  ["true", "holds"],
  ["false", "does not hold"],
  ["none", "removes the value"],
  ["auto", "the compiler decides"],
]);

export const valueDoc = (word: string): string | null => values.get(word) ?? null;
