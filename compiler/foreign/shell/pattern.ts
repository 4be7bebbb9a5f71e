/**
 * Patterns of the shell over whole texts. They are walked, letter by letter, with all places of the pattern at once: a regular
 * expression with many stars would take longer than a script's life.
 */
type Part = "star" | ((char: string) => boolean);

export interface Pattern {
  readonly test: (text: string) => boolean;
  /** How many letters a match may have at the front of a text, the fewest first; from its back with `back`. */
  readonly lengths: (text: string, back?: boolean) => readonly number[];
}

/** Letters times parts; no launch needs so many, and what is beyond them is unknown. */
const most = 1_000_000;

/** For texts of so many letters; `null` where a pattern has parts that we don't read, or would take too long. */
export function pattern(text: string, letters: number, spend: (amount: number) => void): Pattern | null {
  const work = (text.length + 1) * (letters + 1);
  if (work > most) return null;
  spend(work / 100);
  const parts = partsOf(text);
  if (parts === null) return null;
  const forth = matcher(parts);
  const back = matcher(parts.toReversed());
  return {
    test: (whole) => forth(whole).at(-1) === whole.length,
    lengths: (whole, isBack = false) => (isBack ? back(reversed(whole)) : forth(whole)),
  };
}

const reversed = (text: string): string => text.split("").toReversed().join("");

/** The lengths of the beginnings of a text that a pattern matches. */
function matcher(parts: readonly Part[]): (text: string) => readonly number[] {
  return (text) => {
    const found: number[] = [];
    let here = opened(parts, new Uint8Array(parts.length + 1).fill(1, 0, 1));
    for (let at = 0; ; at++) {
      if (here[parts.length] === 1) found.push(at);
      if (at === text.length) return found;
      const next = new Uint8Array(parts.length + 1);
      let isAlive = false;
      for (const [place, part] of parts.entries()) {
        if (here[place] !== 1) continue;
        const goesOn = part === "star" ? place : part(text[at] as string) ? place + 1 : -1;
        if (goesOn < 0) continue;
        next[goesOn] = 1;
        isAlive = true;
      }
      if (!isAlive) return found;
      here = opened(parts, next);
    }
  };
}

/** A star may stand for nothing. */
function opened(parts: readonly Part[], places: Uint8Array): Uint8Array {
  for (const [place, part] of parts.entries()) if (places[place] === 1 && part === "star") places[place + 1] = 1;
  return places;
}

function partsOf(text: string): readonly Part[] | null {
  if (/[!@+?]\(|\[\[:/.test(text)) return null;
  const parts: Part[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const close = char === "[" ? text.indexOf("]", at + 2) : -1;
    if (char === "*") parts.push("star");
    else if (char === "?") parts.push(() => true);
    else if (close > 0) {
      const one = letterOf(text.slice(at + 1, close));
      if (one === null) return null;
      parts.push(one);
      at = close;
    } else {
      const letter = char === "\\" && at + 1 < text.length ? text[++at] : char;
      parts.push((each) => each === letter);
    }
  }
  return parts;
}

/** `[a-z]`, `[!0-9]`; `null` where it is no class of letters. */
function letterOf(inside: string): ((char: string) => boolean) | null {
  try {
    const letters = new RegExp(`^[${inside.replace(/^!/, "^").replaceAll("\\", "\\\\")}]$`);
    return (char) => letters.test(char);
  } catch {
    return null;
  }
}
