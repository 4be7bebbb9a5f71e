/** Values of a Megatron launch that only the job knows, where no text can stand for them. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

const start =
  "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --train-iters 1000 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000";

it.each([
  ["--lr-warmup-iters $EXTRA", "--lr-warmup-iters ($EXTRA)"],
  ["--tensor-model-parallel-size $TP", "--tensor-model-parallel-size ($TP)"],
  ["--position-embedding-type $KIND", "--position-embedding-type ($KIND)"],
])("%s is left out, and told", (words, remark) => {
  const { text, diagnostics, problems } = importLaunch(
    [{ path: "run.sh", text: `${start} ${words}\n` }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/import-left-out"]);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(text).toContain(`Guessed: ${remark}; it is known only where the script runs.`);
  expect(text).not.toContain("param ");
});

it("takes nothing for a size that the engine makes of a width that nobody said", () => {
  const { text, problems } = importLaunch(
    [
      {
        path: "run.sh",
        text: 'source model.sh\ntorchrun --nproc-per-node 8 pretrain_gpt.py "${MODEL_ARGS[@]}" --swiglu --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --train-iters 1000 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000\n',
      },
    ],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(text).toMatch(/d_ff += [1-9]\d* +\/\/ guessed: no argument gives it/);
});

it("says that a checkpoint decides on the model, and keeps what is given beside it", () => {
  const { text } = importLaunch(
    [{ path: "run.sh", text: `${start} --use-rotary-position-embeddings --load runs/a --use-checkpoint-args\n` }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  expect(text).toContain("/// Guessed: --use-checkpoint-args takes the model from a checkpoint, which was not read");
  expect(text).toContain("family            = gpt_neox");
});

const importedText = (text: string) =>
  importLaunch(
    [{ path: "run.sh", text }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );

it("calls a value by its variable where a script puts its command together and reads it again", () => {
  const { text, diagnostics } = importedText(
    `TP=$1\nEXTRA=$(cat extra)\nCMD="${start} --tensor-model-parallel-size $TP --save $OUT/a --save-interval 10 $EXTRA"\neval $CMD\n`,
  );
  expect(text).toContain('"${out}/a"');
  expect(text).toContain('env("OUT"');
  expect(text).not.toContain("cdr_unknown");
  expect(diagnostics.map(({ message }) => message).join("\n")).toContain("what $EXTRA adds");
});

it("takes the rows of a table that no file here holds to be whole for splits that only the job knows", () => {
  const { text, problems } = importedText(
    `${start.replace(/--tokenizer-type.*$/, "--tokenizer-type Llama2Tokenizer --tokenizer-model t")} --tensor-model-parallel-size $TP\n`,
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(text).toMatch(/vocab += 32_000/);
});

it("leaves sizes that only the job knows to the planner", () => {
  const { text, problems } = importedText(
    `${start} --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --sequence-parallel\n`,
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(text).not.toMatch(/(?:tensor|pipeline|sequence)_parallel +=/);
  expect(text).toMatch(/context_parallel += 1/);
});

it("keeps a length that it guessed", () => {
  const { text, problems } = importedText(
    `${start.replace("--train-iters 1000", "")} --exit-on-missing-checkpoint\n`,
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(text).toMatch(/length += 1000 steps +\/\/ guessed/);
  expect(text).not.toContain("train_iters");
});

it("takes experts in each layer for experts in every one", () => {
  const experts =
    "--num-experts 4 --moe-ffn-hidden-size 512 --swiglu --normalization RMSNorm --qk-layernorm --use-rotary-position-embeddings";
  const { problems } = importedText(`${start} ${experts} --moe-layer-freq "([1]*4)" --disable-bias-linear\n`);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
});

it("says which values of a DeepSpeed configuration only the job knows", () => {
  const { text } = importLaunch(
    [
      {
        path: "run.sh",
        text: 'cat > ds.json <<EOF\n{"train_batch_size": 64, "zero_optimization": {"stage": $1}, "bf16": {"enabled": true}}\nEOF\ndeepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n',
      },
    ],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  expect(text).toContain("Guessed: zero_optimization.stage; it is known only where the script runs.");
});
