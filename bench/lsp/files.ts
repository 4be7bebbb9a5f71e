/** Files to edit: one of a thousand lines, and a workspace of many that import one another. */

/** A file of about `lines` lines that checks without a message: models, data, stages and what they share. */
export function longFile(lines: number): string {
  const head = [
    "/// Many small runs in one file.",
    'import "std/clusters" { dgx_h100 }',
    "",
    "param scale: Int in 1..8 = 1",
    "let widths = { small = 512, large = 1024 }",
    "fn wide(base: Int, by: Int = 2) = base * by",
    "",
  ];
  const blocks: string[] = [];
  for (let index = 0; head.length + blocks.length + 40 < lines; index++) blocks.push(...group(index).split("\n"));
  const tail = ["cluster pod extends dgx_h100 { nodes = 2 }", "launch hpc on pod { target = slurm() }", ""];
  return [...head, ...blocks, ...tail].join("\n");
}

const group = (index: number): string =>
  `/// Text number ${index}.
data text_${index} {
  from      = "corpus/${index}/*.jsonl"
  tokenizer = bpe(vocab = 32_000)
  split { val = 1% }
}

// The model that reads it.
model small_${index} {
  family  = llama
  layers  = ${8 + (index % 4)}
  d_model = wide(widths.small)
  heads   = 8
  d_ff    = 2816
  vocab   = 32_000
  context = 1024 tokens
}

stage train_${index} {
  model     = small_${index}
  data      = text_${index}
  length    = ${2 + index} B tokens
  batch     = 256 samples * scale
  optimizer = adamw(lr = 6e-4, betas = [0.9, 0.95], weight_decay = 0.1)
  schedule  = cosine(warmup = 1%, to = 10%)
  layout     { micro_batch in 1..64 samples, zero_stage <= 2 }
  eval       { every = 500 steps }
  checkpoint { every = 1000 steps, keep = [last(2), best(val.loss)] }
  expect loss.at(1000 steps) <= 6 else warn
}

let share_${index} = if small_${index}.layers > 8 then 25% of small_${index}.layers else 2
assert small_${index}.heads divides small_${index}.d_model
`.replace(" B tokens", "B tokens");

/** Files by name: `count` of them, a library of models and data in tens, and runs that import from it. */
export function workspaceFiles(count: number): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (let index = 0; index < count; index++) {
    const library = Math.floor(index / 10);
    if (index % 10 === 0) files.set(`library_${library}.cdr`, libraryFile(library));
    else files.set(`run_${index}.cdr`, runFile(index, library));
  }
  return files;
}

const libraryFile = (index: number): string => `/// What the runs of group ${index} share.
data text { from = "corpus/${index}/*.jsonl", tokenizer = bpe(vocab = 32_000) }

model base {
  family  = llama
  layers  = 12
  d_model = 768
  heads   = 12
  vocab   = 32_000
  context = 1024 tokens
}

model wide extends base { d_model = 1024, heads = 16 }
model deep extends base { layers = 24 }
`;

const runFile = (index: number, library: number): string => `/// Run ${index}.
import "./library_${library}.cdr" { text, ${["base", "wide", "deep"][index % 3]} }
import "std/clusters" { dgx_h100 }

param rate: Float = ${index}e-5

stage train_${index} {
  model     = ${["base", "wide", "deep"][index % 3]}
  data      = text
  length    = 2B tokens
  batch     = 256 samples
  optimizer = adamw(lr = rate)
  schedule  = cosine(warmup = 1%, to = 10%)
  layout     { micro_batch in 1..64 samples, zero_stage <= 2 }
  checkpoint { every = 1000 steps, keep = last(2) }
}

cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
`;

/** Files by name, each a whole run that imports from the one before: what the last says is judged with all of them. */
export function chainedFiles(count: number): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (let index = 1; index <= count; index++) {
    const before = index === 1 ? "" : `import "./chain_${index - 1}.cdr" { small as other }\n`;
    files.set(`chain_${index}.cdr`, `${before}${chainedFile(index)}`);
  }
  return files;
}

const chainedFile = (index: number): string => `import "std/clusters" { dgx_h100 }

param rate: Float in 1e-5..1e-2 = 3e-4

data web { from = "corpus/**/*.jsonl", tokenizer = bpe(vocab = 32_000) }

model small {
  family  = llama
  layers  = ${2 + (index % 20)}
  d_model = 768
  heads   = 12
  context = 2048 tokens
}

stage pretrain {
  model     = small
  data      = web
  length    = 2B tokens
  batch     = 512 samples
  optimizer = adamw(lr = rate, betas = [0.9, 0.95], weight_decay = 0.1)
  schedule  = cosine(warmup = 1%, to = 10%)
  layout     { micro_batch in 1..64 samples, zero_stage <= 2 }
  checkpoint { every = 1000 steps, keep = last(2) }
}

cluster pod extends dgx_h100 { nodes = 2 }
launch hpc on pod { target = slurm() }
assert pod.gpus divides pretrain.batch
`;
