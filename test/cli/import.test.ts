/** `cdrc import` as a person types it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const program = join(import.meta.dirname, "../../cli/cdrc.ts");
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function cdrc(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { code: status, out: stdout, err: stderr };
}

const launch = (more: string): string =>
  "#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 " +
  "--max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 16 --train-iters 100 --lr 1e-4 --bf16 --mock-data " +
  `--tokenizer-type NullTokenizer --vocab-size 50304 ${more}\n`;

it("writes a file that checks, says what it guessed, and replaces none", () => {
  writeFileSync(join(folder, "train.sh"), launch(""));
  const made = cdrc("import", "train.sh", "-o", "run.cdr");
  expect(made.code).toBe(0);
  expect(made.err).toContain("run.cdr is written");
  expect(made.err).toContain("give it with `--gpu`");
  expect(cdrc("check", "run.cdr").code).toBe(0);
  expect(cdrc("fmt", "--check", "run.cdr").code).toBe(0);
  const again = cdrc("import", "train.sh", "-o", "run.cdr");
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("--force replaces it")]);
});

it("prints the file, or one document", () => {
  expect(cdrc("import", "train.sh", "--gpu", "h100").out).toBe(
    readFileSync(join(folder, "run.cdr"), "utf8").replace(/\/\/\/ Guessed: no file names the GPU.*\n/, ""),
  );
  const { code, out } = cdrc("import", "train.sh", "--json");
  const document = JSON.parse(out) as {
    text: string;
    guesses: { line: number; why: string }[];
    changed: string[];
    summary: object;
  };
  expect(code).toBe(0);
  expect(document).toMatchObject({ file: null, changed: [], summary: { errors: 0 } });
  expect(document.text.split("\n")[(document.guesses.at(-1)?.line ?? 0) - 1]).toContain("Guessed:");
});

const notRun = (file: string) => (JSON.parse(cdrc("import", file, "--json").out) as { not_run: string[] }).not_run;

it("lists what the file says and no run carries out yet", () => {
  const manifest = `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: sft }
spec: { pytorchReplicaSpecs: { Worker: { replicas: 1, template: { spec: { containers: [
  { name: pytorch, image: "repo/train:1", command: [torchrun, --nproc_per_node, "8", pretrain_gpt.py] } ] } } } } }
`;
  writeFileSync(join(folder, "job.yaml"), manifest);
  expect(notRun("job.yaml")).toEqual([]);
  expect(notRun("train.sh")).toEqual([]);
});

it("compiles weights, text and a tokenizer of the Hub into what the programs fetch", () => {
  const args = "--model_name_or_path Qwen/Qwen2.5-7B --dataset_name a/b --output_dir out --max_steps 10";
  writeFileSync(
    join(folder, "hub.sh"),
    `torchrun --nproc_per_node 8 sft.py ${args} --per_device_train_batch_size 1 --bf16\n`,
  );
  expect(notRun("hub.sh")).toEqual([]);
  expect(cdrc("import", "hub.sh", "-o", "hub.cdr").code).toBe(0);
  expect(cdrc("compile", "hub.cdr", "-o", "bundle").code).toBe(0);
  const config = (name: string): unknown => JSON.parse(readFileSync(join(folder, "bundle", name), "utf8"));
  expect(config("stages/train/trainer.json")).toMatchObject({
    from_input: true,
    weights: { kind: "hub", repository: "Qwen/Qwen2.5-7B", revision: null, token_env: null },
  });
  expect(config("steps/corpus/prepare.json")).toMatchObject({
    sources: [{ kind: "hub", repository: "a/b" }],
    tokenizer: { kind: "hf", name: "Qwen/Qwen2.5-7B" },
  });
});

it("leaves 1 where the launch itself is wrong, and writes it all the same", () => {
  writeFileSync(join(folder, "wrong.sh"), launch("--tensor-model-parallel-size 2 --context-parallel-size 3"));
  const made = cdrc("import", "wrong.sh", "-o", "wrong.cdr");
  expect(made.code).toBe(1);
  expect(existsSync(join(folder, "wrong.cdr"))).toBe(true);
  expect(made.err).toContain("errors of the launch");
});

it("leaves 1 where an argument is refused, which the file is without", () => {
  writeFileSync(join(folder, "unknown.sh"), launch("--no-such-argument 3"));
  expect(cdrc("import", "unknown.sh")).toMatchObject({ code: 1, err: expect.stringContaining("--no-such-argument") });
});

it("runs nothing of what it reads, and refuses what no launch is", () => {
  const trap = join(folder, "trap");
  writeFileSync(join(folder, "evil.sh"), launch(`--save $(touch ${trap}; echo x) --exit-interval \`touch ${trap}\``));
  cdrc("import", "evil.sh");
  expect(existsSync(trap)).toBe(false);
  writeFileSync(join(folder, "large.sh"), Buffer.alloc(50_000_000, "echo x\n"));
  expect(cdrc("import", "large.sh")).toMatchObject({ code: 2, err: expect.stringContaining("50 MB") });
  expect(cdrc("import", "none.sh")).toMatchObject({ code: 2, err: expect.stringContaining("there is no such file") });
  writeFileSync(join(folder, "bytes.sh"), Buffer.from([0, 159, 146, 150, 0, 1]));
  expect(cdrc("import", "bytes.sh")).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("it is not text"),
  });
});
