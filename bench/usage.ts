/** What benchmarks take behind their names; the others read their words themselves. */
const rounds = { form: "[ROUNDS]", word: /^\d+$/ };

const usages: Readonly<Record<string, { readonly form: string; readonly word: RegExp }>> = {
  check: { form: "[ROUNDS] [FILE.cdr]", word: /^\d+$|\.cdr$/ },
  "first-step": rounds,
  plan: rounds,
  lsp: { form: "[KEYSTROKES]", word: /^\d+$/ },
  parse: { form: "[LINES…]", word: /^\d+$/ },
  fuzz: { form: "[count=N] [seed=N] [from=N] [foreign]", word: /^(?:(?:count|seed|from)=\d+|foreign)$/ },
  calibration: { form: "[rounds=N] [keep=FOLDER] [cluster=FILE]", word: /^(?:rounds=\d+|(?:keep|cluster)=.+)$/ },
  resume: {
    form: "[rounds=N] [seed=N] [torch] [zero2] [zero3]",
    word: /^(?:(?:rounds|seed)=\d+|torch|zero2|zero3)$/,
  },
  foreign: { form: "", word: /^$/ },
};

/** What is wrong with the words of a benchmark; `null` where nothing is. */
export function misuseOf(name: string, words: readonly string[]): string | null {
  const usage = usages[name];
  const strange = usage === undefined ? undefined : words.find((word) => !usage.word.test(word));
  if (usage === undefined || strange === undefined) return null;
  return `\`${strange}\` is nothing that it takes; usage: bench ${`${name} ${usage.form}`.trim()}`;
}
