/** Reads EBNF as docs/grammar.md is written in, and tells whether something is a sentence of it. */
import { createToken, EmbeddedActionsParser, Lexer } from "chevrotain";

export type Rule =
  | { readonly kind: "literal" | "name"; readonly text: string }
  | { readonly kind: "sequence" | "choice"; readonly of: readonly Rule[] }
  | { readonly kind: "repeat"; readonly of: Rule; readonly least: 0 | 1; readonly most: 1 | typeof Infinity };

export type Ebnf = ReadonlyMap<string, Rule>;

const Space = createToken({ name: "Space", pattern: /\s+/, line_breaks: true, group: Lexer.SKIPPED });
const Remark = createToken({ name: "Remark", pattern: /\(\*[^]*?\*\)/, line_breaks: true, group: Lexer.SKIPPED });
const Literal = createToken({ name: "Literal", pattern: /"[^"\n]+"|'[^'\n]+'|…/ });
const Head = createToken({ name: "Head", pattern: /[a-z]+(?=[ ]*=)/ });
const Name = createToken({ name: "Name", pattern: /[a-z]+/ });
const Equals = createToken({ name: "Equals", pattern: "=" });
const Or = createToken({ name: "Or", pattern: "|" });
const Open = createToken({ name: "Open", pattern: "(" });
const Close = createToken({ name: "Close", pattern: ")" });
const Often = createToken({ name: "Often", pattern: /[?*+]/ });
const tokens = [Space, Remark, Literal, Head, Name, Equals, Or, Open, Close, Often];
const lexer = new Lexer(tokens);

class Reader extends EmbeddedActionsParser {
  constructor() {
    super(tokens);
    this.performSelfAnalysis();
  }

  grammar = this.RULE("grammar", () => {
    const rules = new Map<string, Rule>();
    this.MANY(() => {
      const { image } = this.CONSUME(Head);
      this.CONSUME(Equals);
      rules.set(image, this.SUBRULE(this.choice));
    });
    return rules;
  });

  private choice = this.RULE("choice", (): Rule => {
    const of: Rule[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: Or, DEF: () => of.push(this.SUBRULE(this.sequence)) });
    return { kind: "choice", of };
  });

  private sequence = this.RULE("sequence", (): Rule => {
    const of: Rule[] = [];
    this.AT_LEAST_ONE(() => of.push(this.SUBRULE(this.item)));
    return { kind: "sequence", of };
  });

  private item = this.RULE("item", (): Rule => {
    const of = this.OR([
      { ALT: (): Rule => ({ kind: "literal", text: this.CONSUME(Literal).image.replace(/^["'](.*)["']$/, "$1") }) },
      { ALT: (): Rule => ({ kind: "name", text: this.CONSUME(Name).image }) },
      {
        ALT: (): Rule => {
          this.CONSUME(Open);
          const inner = this.SUBRULE(this.choice);
          this.CONSUME(Close);
          return inner;
        },
      },
    ]);
    const often = this.OPTION(() => this.CONSUME(Often).image);
    if (often === undefined) return of;
    return { kind: "repeat", of, least: often === "+" ? 1 : 0, most: often === "?" ? 1 : Infinity };
  });
}
const reader = new Reader();

/** @throws Error where the text is no EBNF. */
export function readEbnf(text: string): Ebnf {
  const lexed = lexer.tokenize(text);
  reader.input = lexed.tokens;
  const rules = reader.grammar();
  const [error] = [...lexed.errors, ...reader.errors];
  if (error !== undefined) throw new Error(error.message);
  return rules;
}

/** The same rules over characters: each literal is cut into its own. */
export function overCharacters(grammar: Ebnf): Ebnf {
  const cut = (rule: Rule): Rule => {
    switch (rule.kind) {
      case "literal":
        return { kind: "sequence", of: [...rule.text].map((text) => ({ kind: "literal", text })) };
      case "name":
        return rule;
      case "repeat":
        return { ...rule, of: cut(rule.of) };
      default:
        return { ...rule, of: rule.of.map(cut) };
    }
  };
  return new Map([...grammar].map(([name, rule]) => [name, cut(rule)]));
}

/** Whether `start` gives all of `sentence`; `fits` says which terminal a token is. Rules must not be left-recursive. */
export function derives<T>(
  grammar: Ebnf,
  start: string,
  sentence: readonly T[],
  fits: (terminal: string, token: T) => boolean,
): boolean {
  const known = new Map<string, readonly number[]>();

  const endsOfName = (name: string, at: number): readonly number[] => {
    const key = `${name} ${at}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const rule = grammar.get(name);
    const found = rule === undefined ? endsOfTerminal(name, at) : ends(rule, at);
    known.set(key, found);
    return found;
  };
  const endsOfTerminal = (terminal: string, at: number): readonly number[] => {
    const token = sentence[at];
    return token !== undefined && fits(terminal, token) ? [at + 1] : [];
  };
  const ends = (rule: Rule, at: number): readonly number[] => {
    switch (rule.kind) {
      case "literal":
        return endsOfTerminal(rule.text, at);
      case "name":
        return endsOfName(rule.text, at);
      case "choice":
        return [...new Set(rule.of.flatMap((each) => ends(each, at)))];
      case "sequence":
        return rule.of.reduce<readonly number[]>(
          (places, each) => [...new Set(places.flatMap((place) => ends(each, place)))],
          [at],
        );
      case "repeat": {
        const found = new Set<number>(rule.least === 0 ? [at] : []);
        let fresh: readonly number[] = [at];
        for (let times = 0; times < rule.most && fresh.length > 0; times++) {
          fresh = [...new Set(fresh.flatMap((place) => ends(rule.of, place)))].filter((end) => !found.has(end));
          for (const end of fresh) found.add(end);
        }
        return [...found];
      }
    }
  };
  return endsOfName(start, 0).includes(sentence.length);
}
