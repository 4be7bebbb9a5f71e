/** What the words of the grammar do, in one sentence each. */
const docs: ReadonlyMap<string, string> = new Map([
  ["import", "brings names of another file, and no effects"],
  ["as", "under a name of one's own"],
  ["param", "a value for the whole program, set by `--set`, a preset or the environment"],
  ["secret", "read where the run is, and only there; it reaches only properties that take one"],
  ["let", "a name for a value"],
  ["fn", "a function: pure, without recursion"],
  ["enum", "a type with the values that it lists"],
  ["abstract", "a template: it may be incomplete and does not run"],
  ["test", "run by `cdrc test`: its amendments on top of the file, then its assertions"],
  ["assert", "judged before anything runs"],
  ["expect", "watched while the run goes on; `else warn`, `stop` or `rollback(to = best)` says what then"],
  ["extends", "says all that the other block says, to be said more"],
  ["after", "an order between steps where nothing flows"],
  ["on", "the hardware, or the machine, that it takes"],
  ["when", "holds only where the condition does, which is known when compiling"],
  ["over", "once for each point of a sweep"],
  ["preset", "amendments that `--preset` chooses, one preset at most"],
  ["with", "the same with amendments: a block, or a choice with arguments said anew"],
  ["if", "`if c then a else b`, a value"],
  ["then", "the value where the condition holds"],
  ["else", "the value where none of the others stands; what happens where an `expect` does not hold"],
  ["match", "the value of the row whose words fit; all must be covered"],
  ["for", "`[f(x) for x in xs]`: a list, item by item"],
  ["in", "is one of, or lies between"],
  ["and", "both hold"],
  ["or", "one of them holds"],
  ["not", "does not hold"],
  ["divides", "goes into without a remainder: `a divides b`"],
  ["of", "a share of: `25% of m.layers`"],
  ["warn", "says so and goes on"],
  ["at", "the reading at one point of the run"],
]);

export const keywordDoc = (word: string): string | null => docs.get(word) ?? null;

/** Words that are values. */
const values: ReadonlyMap<string, string> = new Map([
  ["true", "holds"],
  ["false", "does not hold"],
  ["none", "takes away what would be there"],
  ["auto", "the compiler decides"],
]);

export const valueDoc = (word: string): string | null => values.get(word) ?? null;
