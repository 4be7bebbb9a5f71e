/** Names of models, tokenizers and data sets: what is a file here stays one, and what is the Hub's comes from there. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";
import type { Beside } from "../../../compiler/foreign/beside.ts";

const start =
  "torchrun --nproc_per_node 2 sft.py --output_dir out --per_device_train_batch_size 8 --max_steps 100 --learning_rate 5e-5 --bf16";

/** A machine with these files in the folder of the launch. */
function machine(files: Readonly<Record<string, string>>): Beside {
  const inside = (folder: string): string => folder.replace(/^(?:\.\/?)+/, "");
  return {
    text: (path) => (Object.hasOwn(files, path) ? { path, text: files[path] ?? "" } : undefined),
    names: (folder) => {
      if (folder.startsWith("..")) return undefined;
      const prefix = inside(folder) === "" ? "" : `${inside(folder)}/`;
      const below = Object.keys(files).filter((path) => path.startsWith(prefix));
      return [...new Set(below.map((path) => path.slice(prefix.length).split("/")[0] ?? ""))];
    },
    bytes: () => undefined,
  };
}

function imported(given: Readonly<Record<string, string>>, lying: Readonly<Record<string, string>> = {}) {
  const files = Object.entries(given).map(([path, text]) => ({ path, text }));
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const made = importLaunch(files, { supplied, launch: null }, machine({ ...given, ...lying }));
  return { ...made, plain: (made.text ?? "").replaceAll(/ +/g, " ") };
}

const llama = JSON.stringify({
  model_type: "llama",
  hidden_size: 512,
  num_hidden_layers: 6,
  num_attention_heads: 8,
  vocab_size: 32000,
  intermediate_size: 1408,
  max_position_embeddings: 2048,
});

it.each([
  ["--dataset_name imdb", {}, 'from = "hf://imdb"'],
  ["--dataset_name a/b", {}, 'from = "hf://a/b"'],
  ["--dataset_name a/b --dataset_config_name en", {}, 'from = "hf://a/b#en"'],
  ["--dataset_name data/mine", { "data/mine/train.jsonl": "" }, 'from = "data/mine"'],
  ["--dataset_name mine", { "mine/train.jsonl": "" }, 'from = "mine"'],
  ["--train_file data/train", {}, 'from = "data/train"'],
  ["--train_file data/train.json", {}, 'from = "data/train.json"'],
  ["--data_path data/alpaca.json", {}, 'from = "data/alpaca.json"'],
  ["--data_path yahma/alpaca-cleaned", {}, 'from = "hf://yahma/alpaca-cleaned"'],
  ["--data_path /data/alpaca", {}, 'from = "/data/alpaca"'],
  ["--data_path ./alpaca", {}, 'from = "./alpaca"'],
  ["--model_name_or_path gpt2", {}, 'from = "hf://gpt2"'],
  ["--model_name_or_path gpt2", {}, 'tokenizer = hf("gpt2")'],
  ["--model_name_or_path models/llama", { "models/llama/config.json": llama }, 'from = "models/llama"'],
  ["--model_name_or_path models/llama", { "models/llama/config.json": llama }, 'tokenizer = hf("models/llama")'],
  ["--model_name_or_path models/llama", { "models/llama/config.json": llama }, "d_model = 512"],
  ["--model_name_or_path models/llama", {}, 'from = "hf://models/llama" // guessed: models/llama is not here'],
  ["--model_name_or_path models/llama", {}, 'tokenizer = hf("models/llama") // guessed: models/llama is not here'],
  ["--dataset_name data/mine", {}, 'from = "hf://data/mine" // guessed: data/mine is not here'],
  ["--model_name_or_path /models/llama", {}, 'from = "/models/llama"'],
  ["--model_name_or_path Qwen/Qwen3-8B --tokenizer_name gpt2", {}, 'tokenizer = hf("gpt2")'],
])("%s beside %j", (options, lying, written) => {
  const made = imported({ "run.sh": `${start} ${options}\n` }, lying);
  expect(made.plain).toContain(written);
  const told = made.diagnostics.map(({ message }) => message).join("\n");
  expect(told).not.toMatch(/^--(?:tokenizer_name|dataset_config_name|data_path)/m);
  expect(made.problems.filter(({ severity }) => severity === "error")).toEqual([]);
});

const axolotl = (dataset: string): string =>
  `base_model: meta-llama/Llama-3.2-1B\ndatasets:\n  - ${dataset}\nsequence_len: 2048\nmicro_batch_size: 2\nmax_steps: 500\nlearning_rate: 0.0002\nwandb_project: p\n`;

it.each([
  ["{ path: data/train.jsonl, type: completion, ds_type: json }", 'from = "data/train.jsonl"'],
  ["{ path: json, data_files: [a/b.jsonl, c.jsonl], type: completion }", 'from = "a/b.jsonl"'],
  ["{ path: a/b, name: en, type: alpaca }", 'from = "hf://a/b#en"'],
  ["{ path: data/mine, type: alpaca }", 'from = "hf://data/mine" // guessed: data/mine is not here'],
])("Axolotl's %s", (dataset, written) => {
  const made = imported({ "axo.yaml": axolotl(dataset) });
  expect(made.plain).toContain(written);
  expect(made.diagnostics.map(({ message }) => message).join("\n")).toContain("wandb_project p");
});

const factory =
  "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\nfinetuning_type: full\ntemplate: qwen\ncutoff_len: 1024\ndataset: mine,theirs\nmax_steps: 10\noutput_dir: out\n";

it("a dataset of LLaMA-Factory is where its description says, and a guess without one", () => {
  const info = JSON.stringify({ mine: { file_name: "mine.json" }, theirs: { hf_hub_url: "a/b" } });
  const made = imported({ "lf.yaml": factory }, { "data/dataset_info.json": info });
  expect(made.plain).toContain('from = "data/mine.json"');
  expect(made.plain).toContain('from = "hf://a/b"');
  expect(imported({ "lf.yaml": factory }).plain).toContain(
    'from = "mine" // guessed: dataset_info.json says where it is, and is not here',
  );
});
