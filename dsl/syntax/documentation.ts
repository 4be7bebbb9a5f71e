import type { Token } from "../lexer/token.ts";
import { Doc, Newline } from "../lexer/vocabulary.ts";

export interface Documentation {
  readonly tokens: readonly Token[];
  /** By the offset at which what they document begins. */
  readonly docs: ReadonlyMap<number, string>;
  readonly fileDoc: string | null;
}

/**
 * Takes the `///` comments out of the tokens, in place, and says what each run of them documents. Where a file begins, the
 * first run is the file's; a later piece of it begins behind a line break.
 */
export function documentation(tokens: Token[], opensFile = true): Documentation {
  if (!tokens.some((token) => token.tokenType === Doc)) return { tokens, docs: new Map(), fileDoc: null };
  const docs = new Map<number, string>();
  let kept = 0;
  let fileDoc: string | null = null;
  let run: string[] = [];
  let newlines = opensFile ? 0 : 1;

  const endRun = (): void => {
    if (opensFile && fileDoc === null && run.length > 0) {
      fileDoc = run.join("\n");
      run = [];
    }
  };
  for (const token of tokens) {
    if (token.tokenType === Newline) {
      newlines += 1;
      tokens[kept++] = token;
    } else if (token.tokenType === Doc) {
      const trails = !opensFile && newlines === 0 && run.length === 0;
      if (newlines > 1) {
        endRun();
        run = [];
      }
      newlines = 0;
      if (!trails) run.push(token.image.slice(3).trim());
    } else {
      if (run.length > 0) {
        endRun();
        if (run.length > 0) docs.set(token.startOffset, run.join("\n"));
        run = [];
      }
      newlines = 0;
      opensFile = false;
      tokens[kept++] = token;
    }
  }
  endRun();
  tokens.length = kept;
  return { tokens, docs, fileDoc };
}
