import { inTable } from "../../in-table.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import { Identifier, Slash } from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";
import { units } from "../../types/units.ts";

interface Ratio {
  /** Of a number whose unit stands behind a slash. */
  readonly numerator: string | null;
  readonly per: string;
  /** What is written behind what was read. */
  readonly behind: string;
  /** Index of the last token of it. */
  readonly last: number;
}

const times: Readonly<Record<string, string>> = {
  ...{
    sec: "s",
    second: "s",
    seconds: "s",
    minute: "min",
    minutes: "min",
    hour: "h",
    hours: "h",
    day: "d",
    days: "d",
  },
};

/** The rest of a ratio of units that blanks cut off, or whose slash moved: `20 tokens s`, `20 tokens per second`, `20 /tokens s`. */
export function ratioBehind(
  source: Source,
  tokens: readonly Token[],
  index: number,
  numerator: string | null,
): Ratio | null {
  const isNear = (at: number): boolean => {
    const [before, token] = [tokens[at - 1], tokens[at]];
    return (
      before !== undefined &&
      token !== undefined &&
      /^[ \t]*$/.test(source.text.slice(endOf(before), token.startOffset))
    );
  };
  const unitAt = (at: number): string | null => {
    const token = tokens[at];
    if (token?.tokenType !== Identifier || !isNear(at)) return null;
    return units.has(token.image) ? token.image : (inTable(times, token.image) ?? null);
  };
  if (numerator === null) {
    const [above, per] = [unitAt(index + 2), unitAt(index + 3)];
    if (tokens[index + 1]?.tokenType !== Slash || !isNear(index + 1) || above === null || per === null) return null;
    return { numerator: above, per, behind: ` ${above}/${per}`, last: index + 3 };
  }
  if (numerator === "%" || !units.has(numerator)) return null;
  const last = tokens[index + 1]?.image === "per" && isNear(index + 1) ? index + 2 : index + 1;
  const per = unitAt(last);
  return per === null ? null : { numerator, per, behind: `/${per}`, last };
}
