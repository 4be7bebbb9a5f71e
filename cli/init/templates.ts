/** What `cdrc init` can begin with, and what it asks. */
export interface Question {
  readonly name: string;
  readonly message: string;
  readonly default: string;
  /** Says what is wrong with an answer. */
  readonly refuse: (answer: string) => string | undefined;
  readonly choices?: readonly string[];
}

export interface InitTemplate {
  readonly name: string;
  readonly summary: string;
  readonly questions: readonly Question[];
  /** Samples of a step, as a recipe of this size would take them. */
  readonly batch: number;
  /** Steps from one evaluation to the next, where the run is long enough. */
  readonly every: number;
  /** Ranks that share a batch. */
  readonly ranks: (answers: Readonly<Record<string, string>>) => number;
}

const matches =
  (pattern: RegExp, expected: string) =>
  (answer: string): string | undefined =>
    pattern.test(answer) ? undefined : notThat(expected, answer);

/** What was to be answered; an empty answer is told as one. */
const notThat = (expected: string, answer: string): string =>
  answer === "" ? `${expected}, not empty` : `${expected}, not \`${answer}\``;

const whole = matches(/^[1-9]\d{0,5}$/, "a whole number such as 2");
const count = matches(/^(?!0+(\.0+)?[KMBT]?$)\d+(\.\d+)?[KMBT]?$/, "a number above 0, such as 350M");
const quoted = matches(/^[^"\\$\r\n]+$/, "text without quotes, backslashes and dollar signs");
const gpus = ["rtx_4090", "l40s", "a100_80gb", "h100_sxm", "h200"];
/** Models of `std/models` that one such machine adapts, and where their weights lie on the Hub. */
export const repositories: Readonly<Record<string, string>> = {
  qwen2_5_1_5b: "Qwen/Qwen2.5-1.5B",
  qwen2_5_7b: "Qwen/Qwen2.5-7B",
  qwen3_1_7b: "Qwen/Qwen3-1.7B-Base",
  qwen3_8b: "Qwen/Qwen3-8B-Base",
  llama3_2_1b: "meta-llama/Llama-3.2-1B",
  llama3_1_8b: "meta-llama/Llama-3.1-8B",
  olmo2_7b: "allenai/OLMo-2-1124-7B",
};
/** The least that a tokenizer of bytes and its marks takes. */
const leastVocabulary = 260;
const entries = (answer: string): string | undefined =>
  /^[1-9][\d_]*$/.test(answer) && Number(answer.replaceAll("_", "")) >= leastVocabulary
    ? undefined
    : notThat(`a whole number of at least ${leastVocabulary}`, answer);
const length = matches(
  /^[1-9][\d_]*(\.\d+)?[KMBT]? (steps|tokens|samples)$/,
  "a number with its unit, such as 2000 steps or 5B tokens",
);

const title: Question = {
  name: "title",
  message: "What is it about, in a few words?",
  default: "First run",
  refuse: matches(/^[^\r\n]+$/, "one line"),
};
const text: Question = {
  name: "text",
  message: "Where is the text? A path, a glob, or hf://owner/name",
  default: "corpus/**/*.txt",
  refuse: quoted,
};
const asks = (name: string, message: string, initial: string, refuse: Question["refuse"]): Question => ({
  name,
  message,
  default: initial,
  refuse,
});
const one = (name: string, message: string, choices: readonly string[]): Question => ({
  name,
  message,
  default: choices[0] ?? "",
  choices,
  refuse: (answer) => (choices.includes(answer) ? undefined : notThat(`one of ${choices.join(", ")}`, answer)),
});
const context = (tokens: string): Question => asks("context", "How many tokens of context?", tokens, whole);
const duration = (initial: string): Question => asks("length", "How long should it train?", initial, length);
const shape = (size: string, tokens: string, vocab: string, initial: string): readonly Question[] => [
  asks("size", "How many parameters?", size, count),
  context(tokens),
  asks("vocab", "How many entries does the vocabulary have?", vocab, entries),
  duration(initial),
];

export const initTemplates: readonly InitTemplate[] = [
  {
    name: "scratch",
    summary: "a small model from scratch on your own text, on this machine",
    batch: 16,
    every: 200,
    ranks: () => 1,
    questions: [title, text, ...shape("10M", "512", "8_000", "2000 steps")],
  },
  {
    name: "finetune",
    summary: "two stages: a language from one corpus, then a subject from another",
    batch: 16,
    every: 100,
    ranks: () => 1,
    questions: [
      title,
      text,
      asks("subject", "Where is the text of the subject?", "subject/**/*.txt", quoted),
      ...shape("10M", "512", "8_000", "2000 steps"),
    ],
  },
  {
    name: "published",
    summary: "adapters beside a published model, on GPUs of this machine",
    batch: 64,
    every: 100,
    ranks: ({ gpus }) => Number(gpus),
    questions: [
      title,
      text,
      one("base", "Which model?", Object.keys(repositories)),
      one("gpu", "Which GPU?", gpus),
      asks("gpus", "How many of them?", "1", whole),
      context("1024"),
      duration("1000 steps"),
    ],
  },
  {
    name: "gpus",
    summary: "one model on several GPUs of this machine",
    batch: 512,
    every: 500,
    ranks: ({ gpus }) => Number(gpus),
    questions: [
      title,
      text,
      one("gpu", "Which GPU?", gpus),
      asks("gpus", "How many of them?", "2", whole),
      ...shape("125M", "1024", "32_000", "2.5B tokens"),
    ],
  },
  {
    name: "slurm",
    summary: "one model on several nodes under Slurm",
    batch: 1024,
    every: 500,
    ranks: ({ cluster, nodes }) => Number(nodes) * (cluster === "gb200_tray" ? 4 : 8),
    questions: [
      title,
      text,
      one("cluster", "Which machines?", ["dgx_h100", "dgx_a100", "dgx_h200", "dgx_b200", "gb200_tray"]),
      asks("nodes", "How many nodes?", "2", whole),
      asks("partition", "Which partition?", "gpu", quoted),
      asks("hours", "For how many hours at most?", "24", whole),
      ...shape("1B", "2048", "32_000", "20B tokens"),
    ],
  },
];
