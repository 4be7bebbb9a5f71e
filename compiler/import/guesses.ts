/** What a written file marks as guessed. */
export interface Guess {
  /** From 1 on, as editors count. */
  readonly line: number;
  /** The property, or the block that the remark stands above. */
  readonly name: string;
  readonly value: string | null;
  readonly why: string;
}

export function guessesIn(text: string): readonly Guess[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at): Guess[] => {
    const block = /^\s*\/\/\/ Guessed: (.*)$/.exec(line);
    if (block !== null)
      return [
        {
          line: at + 1,
          name: (lines[at + 1] ?? "").replace(/\s*\{.*$/, "").trim(),
          value: null,
          why: block[1] ?? "",
        },
      ];
    const own = /^\s*(?:param )?([\w."-]+)(?:: \w+)?\s*=\s*(.*?)\s*\/\/ guessed: (.*)$/.exec(line);
    return own === null ? [] : [{ line: at + 1, name: own[1] ?? "", value: own[2] ?? null, why: own[3] ?? "" }];
  });
}
