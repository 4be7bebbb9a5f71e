/** When a training evaluates, logs and saves: what its program does where nobody says is said. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

const base =
  "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-8B --dataset_name imdb --output_dir out --per_device_train_batch_size 2 --bf16";

function imported(files: Readonly<Record<string, string>>) {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { text, changed } = importLaunch(
    sources,
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  const flat = (text ?? "").replaceAll(/\s+/g, " ");
  const body = (name: string): string | undefined => new RegExp(` ${name} \\{ ([^}]*) \\}`).exec(flat)?.[1];
  return { save: body("checkpoint"), log: body("log"), eval: body("eval"), changed, text: flat };
}

const run = (rest: string) => imported({ "run.sh": `${base} ${rest}\n` });

it("the Trainer saves every 500 steps and keeps all", () => {
  const { save, log, eval: evaluated } = run("--max_steps 5000");
  expect(save).toBe('every = 500 steps, keep = all, to = "out"');
  expect(log).toBe("every = 500 steps");
  expect(evaluated).toBeUndefined();
});

it.each([
  ["--max_steps 5000 --save_steps 100", 'every = 100 steps, keep = all, to = "out"'],
  ["--max_steps 5000 --save_steps 100 --save_total_limit 2", 'every = 100 steps, keep = [last(2)], to = "out"'],
  ["--max_steps 5000 --save_steps 0.1", 'every = 500 steps, keep = all, to = "out"'],
])("%s", (rest, save) => {
  expect(run(rest).save).toBe(save);
});

it("a share of the run is steps where the run has a number of them", () => {
  expect(run("--max_steps 100 --logging_steps 0.1").log).toBe("every = 10 steps");
  expect(run("--num_train_epochs 3 --logging_steps 0.1").changed).toContain("logging_steps 0.1");
});

it("what is no number of steps is told", () => {
  const { changed, save, log } = run(
    "--max_steps 100 --logging_strategy epoch --save_strategy epoch --eval_strategy epoch",
  );
  expect(changed).toEqual(
    expect.arrayContaining(["eval_strategy epoch", "logging_strategy epoch", "save_strategy epoch"]),
  );
  expect(save).toBe('to = "out"');
  expect(log).toBeUndefined();
});

it("the Trainer evaluates only where a strategy says so, and then as often as it logs", () => {
  expect(run("--max_steps 100 --eval_steps 20").eval).toBeUndefined();
  expect(run("--max_steps 100 --eval_strategy steps --eval_steps 20").eval).toBe("every = 20 steps");
  expect(run("--max_steps 100 --eval_strategy steps --logging_steps 5").eval).toBe("every = 5 steps");
});

it("Axolotl saves at the end of each epoch and keeps four", () => {
  const file =
    "base_model: a/llama-1b\ndatasets:\n  - path: a/b\n    type: completion\nmicro_batch_size: 2\noutput_dir: out\n";
  expect(imported({ "axo.yaml": file }).changed).toContain("save_strategy epoch (the program's default)");
  expect(imported({ "axo.yaml": `${file}save_steps: 50\neval_steps: 25\n` })).toMatchObject({
    save: 'every = 50 steps, keep = [last(4)], to = "out"',
    eval: "every = 25 steps",
  });
});
