/** Settings written on the command line or as a section are read as the file is that they stand for. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const base =
  "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-8B --dataset_name imdb --output_dir out --per_device_train_batch_size 2 --bf16 --max_steps 100";
const nothing = { world: null, gpusPerNode: null, gpu: "h100" };
const sourcesOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

const found = (files: Readonly<Record<string, string>>) =>
  checkForeign(sourcesOf(files), nothing, () => undefined)
    .diagnostics.filter(({ code }) => code !== "cdr/preprocessing-timeout")
    .map(({ code, message, span }) => ({ code, message, at: span.source.text.slice(span.start, span.end) }));

/** What is said of a script, and of the same with the settings in a file. */
const both = (option: string, json: string, rest = "") => ({
  inline: found({ "run.sh": `${base} ${rest} --${option} '${json}'\n` }),
  file: found({ "run.sh": `${base} ${rest} --${option} own.json\n`, "own.json": json }),
});

it.each([
  '{"zero_optimization":{"stage":7}}',
  '{"zero_optimization":{"stage":3,"offload_param":{"device":"cpuu"}}}',
  '{"train_micro_batch_size_per_gpu":"auto","zero_optimization":{"stage":2},"optimizer":{"type":"AdamW","params":{"lr":1e-3}}}',
])("DeepSpeed's: %s", (json) => {
  const { inline, file } = both("deepspeed", json);
  expect(inline.length).toBeGreaterThan(0);
  expect(inline).toEqual(file);
});

it.each([
  [
    `--gradient_checkpointing --fsdp full_shard --fsdp_config '{"activation_checkpointing": true}'`,
    "cdr/trainer-refused",
    "activation",
  ],
  [
    `--fsdp "full_shard auto_wrap" --fsdp_config '{"transformer_layer_cls_to_wrap":["LlamaDecoderLayer"]}'`,
    "cdr/fsdp-wrap-class",
    "Llama",
  ],
])("FSDP's: %s", (rest, code, place) => {
  const wrong = found({ "run.sh": `${base} ${rest}\n` });
  expect(wrong.map((each) => each.code)).toEqual([code]);
  expect(rest).toContain(wrong[0]?.at);
  expect(JSON.stringify(wrong)).toContain(place);
});

it("with an equals sign, and in pieces", () => {
  const script = `S=7\n${base} --deepspeed='{"zero_optimization":{"stage":'"$S"'}}'\n`;
  expect(found({ "run.sh": script }).map(({ code }) => code)).toContain("cdr/deepspeed-value");
});

it("JSON that Python refuses", () => {
  const codes = found({ "run.sh": `${base} --deepspeed '{"zero_optimization":{"stage":2},}'\n` }).map(
    ({ code }) => code,
  );
  expect(codes).toEqual(["cdr/foreign-json"]);
});

it("a value that only the job knows is unknown, and text of the job's own is no JSON", () => {
  expect(found({ "run.sh": `${base} --deepspeed "{\\"zero_optimization\\":{\\"stage\\":$STAGE}}"\n` })).toEqual([]);
  expect(found({ "run.sh": `${base} --deepspeed "{$ALL}"\n` })).toEqual([]);
});

it("each of several launches has its own", () => {
  const one = (stage: number): string => `${base} --deepspeed '{"zero_optimization":{"stage":${stage}}}'\n`;
  const wrong = found({ "run.sh": one(2) + one(7) }).filter(({ code }) => code === "cdr/deepspeed-value");
  expect(wrong.map(({ at }) => at)).toEqual(["7"]);
});

const section =
  "output_dir: out\nper_device_train_batch_size: 2\nmax_steps: 100\nlearning_rate: 2.0e-5\ndeepspeed:\n  zero_optimization:\n    stage: 3\n" +
  "    offload_optimizer:\n      device: cpu\n  optimizer:\n    type: AdamW\n    params:\n      lr: 1.0e-3\n";

it("a section of a YAML", () => {
  const wrong = found({ "args.yaml": section });
  expect(wrong.map(({ code }) => code)).toContain("cdr/trainer-deepspeed-mismatch");
});

it.each([
  ["run.sh", `${base} --deepspeed '{"zero_optimization":{"stage":3,"offload_optimizer":{"device":"cpu"}}}'\n`],
  ["args.yaml", section],
])("import keeps them: %s", (path, text) => {
  const made = importLaunch([{ path, text }], { supplied: nothing, launch: null }, () => undefined);
  expect(made.text).toMatch(/engine += deepspeed/);
  expect(made.text).toMatch(/zero_stage += 3/);
  expect(made.text).toMatch(/offload += optimizer/);
});
