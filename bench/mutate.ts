/** Broken input, the same for the same seed and index: pieces of real files, mutated, and tokens in any order. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lex } from "../dsl/lexer/lex.ts";
import { endOf } from "../dsl/lexer/token.ts";
import { random } from "../test/support/random.ts";

const root = join(import.meta.dirname, "..");

interface File {
  readonly path: string;
  readonly text: string;
  /** Offsets of its tokens. */
  readonly tokens: readonly (readonly [start: number, end: number])[];
}

/** Every `.cdr` file of the repository's examples and sketches. */
export function realFiles(): readonly File[] {
  return ["examples", "test/fixtures/sketches", "compiler/std"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".cdr") && !path.startsWith("runs/"))
      .sort()
      .map((name) => {
        const path = `${folder}/${name}`;
        const text = readFileSync(join(root, path), "utf8");
        const tokens = lex({ path, text }).tokens.map((token) => [token.startOffset, endOf(token)] as const);
        return { path, text, tokens };
      }),
  );
}

const words = [
  ..."model data stage cluster launch preset overlay sample eval layout checkpoint gpt lr x a.b self run plan".split(
    " ",
  ),
  ..."1 0 -1 20B 0.05% 1e400 9999999999999999999 tokens steps min 3e-4 .5 1. 80G 36:00:00 - 4Ki 1..64".split(" "),
  ..."= == != <= >= < > : , ; . .. + - * / % ^ ** && || ! => -> | { } ( ) [ ] ${ $RUN # // /// /* */ \\ @ ?".split(
    " ",
  ),
  ..."import param secret let fn enum abstract assert expect test extends after on as in and or not divides of".split(
    " ",
  ),
  ..."with if then else for match true false none auto elif def const llama adamw cosine bytes local slurm".split(
    " ",
  ),
  ...[
    '"x"',
    '"a ${b} c"',
    '"',
    '"""',
    "'x'",
    "`",
    "\n",
    "\n  ",
    "\n",
    " ",
    "\t",
    "é",
    "≤",
    "“",
    "\u0000",
    "😀",
    "\ufeff",
  ],
];

/** The input with this index. */
export function inputOf(files: readonly File[], seed: number, index: number): string {
  const { below, pick } = random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  if (below(4) === 0)
    return Array.from({ length: 1 + below(60) }, () => pick(words) + pick(["", " ", "\n"])).join("");
  const file = pick(files);
  const window = 1 + below(120);
  const first = below(Math.max(1, file.tokens.length - window));
  const piece = file.tokens.slice(first, first + window);
  const edits = below(4);
  const chosen = new Set(Array.from({ length: edits }, () => below(piece.length)));
  let text = "";
  let at = piece[0]?.[0] ?? 0;
  for (const [position, [start, end]] of piece.entries()) {
    text += file.text.slice(at, start);
    at = end;
    const token = file.text.slice(start, end);
    if (!chosen.has(position)) text += token;
    else {
      const other = piece[below(piece.length)] ?? [start, end];
      const mutations: readonly (() => string)[] = [
        () => "",
        () => token + token,
        () => `${token} ${token}`,
        () => pick(words),
        () => token + pick(words),
        () => file.text.slice(other[0], other[1]),
        () => token.slice(0, below(token.length + 1)),
        () => `${token.slice(0, 1)}${String.fromCharCode(below(below(2) === 0 ? 128 : 0xffff))}${token.slice(1)}`,
      ];
      text += pick(mutations)();
    }
  }
  return text;
}
