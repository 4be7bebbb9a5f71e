/** Files as people write them, of any length: declarations of every shape, with numbers and names that vary. */
import { random } from "../test/support/random.ts";

export function sourceOf(lines: number, seed = 1): string {
  const { below, pick: pickOf } = random(seed);
  const pick = <T>(...items: readonly T[]): T => pickOf(items);
  const upTo = (n: number): number => 1 + below(n);
  const noun = (): string => pick("web", "code", "math", "books", "news", "forum", "papers", "wiki");
  const out: string[] = [
    "/// Runs of many models on many corpora.",
    'import "std/clusters" { dgx_h100, dgx_a100 as old }',
    "",
    'param out: Path = env("OUT_DIR", default = "output")',
    'secret wandb_key = env("WANDB_API_KEY")',
    "enum Scale { tiny, small, large }",
    "",
  ];

  const model = (n: number): string[] => [
    `/// A decoder of ${upTo(400)} million parameters, wider than it is deep.`,
    `model m${n} {`,
    `  family   = ${pick("llama", "gpt2", "gpt_neox")}`,
    `  layers   = ${upTo(48)}`,
    `  d_model  = ${128 * upTo(32)}`,
    `  heads    = d_model / ${pick(64, 128)}`,
    `  context  = ${pick(1, 2, 4, 8)}Ki tokens`,
    ...(below(10) < 4
      ? [`  size     = auto(active = ${upTo(900)}M params, within = ${upTo(5)}%) // layers follow`]
      : []),
    ...(below(10) < 3 ? [`  moe { experts = ${8 * upTo(8)}, top_k = ${upTo(4)}, every = ${upTo(3)} layers }`] : []),
    "}",
  ];
  const data = (n: number): string[] => [
    `data d${n} {`,
    `  tokenizer = ${pick("bytes", `bpe(vocab = ${1000 * upTo(64)})`, 'tiktoken("gpt2")')}`,
    ...Array.from(
      { length: upTo(5) },
      (_, i) => `  source ${noun()}_${i} { from = "hf://${noun()}/${noun()}-${upTo(99)}", weight = ${upTo(40)}% }`,
    ),
    `  keep = [language(en) >= 0.${upTo(9)}, length in ${upTo(90)}..${upTo(9)}M chars]`,
    `  split { val = 0.0${upTo(9)}%, seed = ${upTo(999)} }`,
    "}",
  ];
  const stage = (n: number): string[] => [
    `stage s${n} extends base after s${Math.max(0, n - 1)} on pod {`,
    `  model     = m${n}`,
    `  data      = d${n}.train`,
    `  length    = ${pick(`${upTo(90)}B tokens`, `${upTo(90)}_000 steps`, "20 tokens/param * model.params")}`,
    `  batch     = ${64 * upTo(16)} samples`,
    `  optimizer = adamw(lr = ${upTo(9)}e-4, betas = [0.9, 0.95], weight_decay = 0.1)`,
    `  schedule  = cosine(warmup = min(${upTo(3)}000 steps, 1% of stage.length), to = 10%)`,
    `  layout { micro_batch in 1..${upTo(64)} samples, zero_stage <= 2 }`,
    `  checkpoint { every = ${upTo(60)} min, keep = [last(3), best(val.loss)], to = out / "s-\${run.id}" }`,
    `  track = [console, wandb(key = wandb_key)]`,
    ...(below(10) < 5 ? [`  expect loss.at(${upTo(90)}_000 steps) <= ${upTo(4)}.${upTo(9)} else warn`] : []),
    "}",
  ];
  const rest = (n: number): string[] =>
    pick(
      [
        `param p${n}: Int in 1..${upTo(512)} = ${upTo(64)}`,
        `assert p${n} divides s${n}.batch and p${n} >= 1 else warn`,
      ],
      [`let width${n} = if p > ${upTo(9)} then ${upTo(4)} * m${n}.d_model else m${n}.d_model + ${upTo(64)}`],
      [`fn f${n}(x: Tokens, share: Float = 0.${upTo(9)}): Tokens = round(x * share) - 2 * x / ${upTo(9)}`],
      [`let table${n} = match scale {`, `  small | tiny => { lr = ${upTo(9)}e-4 }`, `  else => { lr = 1e-4 }`, "}"],
      [`m${n} { layers = ${upTo(9)} }`, `s${n}.optimizer.lr = ${upTo(9)}e-5`],
      [`launch l${n} on pod { target = slurm(partition = "gpu-${upTo(9)}", time = ${upTo(72)} h, requeue = true) }`],
      [`let seeds${n} = [2 * n + ${upTo(9)} for n in 1..${upTo(8)} if not n in [3, 5]]`],
    );

  for (let n = 0; out.length < lines; n++) {
    for (const part of [model, data, stage, rest, rest]) {
      const written = part(n);
      if (out.length + written.length < lines) out.push(...written, "");
    }
    if (lines - out.length < 12) out.push("// The end.");
  }
  return `${out.join("\n")}\n`;
}
