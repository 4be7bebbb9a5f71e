import type { Source } from "../../../dsl/source/source.ts";

/** Options and modes in which zsh expands as bash does. */
const asBash = /^\s*(?:setopt\b.*\b(?:sh_?word_?split|ksh_?arrays)\b|emulate\s+(?:-\w+\s+)*(?:sh|ksh|bash)\b)/im;

/** Does zsh read this, by its own rules of expansion? */
export function isZsh({ path, text }: Source): boolean {
  const first = /^#!\s*(?:\S*\/env\s+(?:-\S+\s+)*)?(\S+)/.exec(text)?.[1]?.split("/").at(-1);
  return (first === undefined ? path.endsWith(".zsh") : first === "zsh") && !asBash.test(text);
}
