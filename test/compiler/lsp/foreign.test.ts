/** `cdrc lsp --foreign` over the protocol: a real client, joined to the server by streams. */
import { PassThrough } from "node:stream";
import { createConnection } from "vscode-languageserver/node";
import {
  type CodeAction,
  type CompletionItem,
  createProtocolConnection,
  type Hover,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import { afterEach, beforeEach, expect, it } from "vitest";
import { serveForeign } from "../../../compiler/lsp/foreign/server.ts";

let client: ProtocolConnection;
let pushed: PublishDiagnosticsParams[] = [];
const disk = new Map<string, string>();

beforeEach(async () => {
  const [up, down] = [new PassThrough(), new PassThrough()];
  pushed = [];
  disk.clear();
  serveForeign(
    createConnection(up, down),
    { name: "cdrc", version: "0", gpu: null },
    {
      text: (path, from) => {
        const near = `${from.path.slice(0, from.path.lastIndexOf("/"))}/${path}`;
        const text = disk.get(near);
        return text === undefined ? undefined : { path: near, text };
      },
      names: () => undefined,
      bytes: () => undefined,
    },
  );
  client = createProtocolConnection(down, up);
  client.onNotification(
    "textDocument/publishDiagnostics",
    (params: PublishDiagnosticsParams) => void pushed.push(params),
  );
  client.listen();
  await client.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} });
  await client.sendNotification("initialized", {});
});
afterEach(() => client.dispose());

const uriOf = (name: string): string => `file:///project/${name}`;

/** Opens a document; `|` in its text is the cursor. */
function open(name: string, marked: string) {
  const at = marked.indexOf("|");
  const before = marked.slice(0, Math.max(0, at)).split("\n");
  const text = at < 0 ? marked : marked.slice(0, at) + marked.slice(at + 1);
  void client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: uriOf(name), languageId: "x", version: 1, text },
  });
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  return { textDocument: { uri: uriOf(name) }, position };
}

async function told(name: string): Promise<readonly string[]> {
  for (let round = 0; round < 100; round++) {
    const found = pushed.findLast(({ uri }) => uri === uriOf(name));
    if (found !== undefined) return found.diagnostics.map(({ code, range }) => `${code} ${range.start.line + 1}`);
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`nothing was said of ${name}`);
}

const script = `#!/bin/bash
torchrun --nproc-per-node 8 pretrain_gpt.py \\
  --num-layers 12 --hidden-size 768 --num-attention-heads 12 --tensor-model-parallel-size 5 |`;

it("says what cdrc check says, of a launch and of what it names", async () => {
  disk.set("/project/ds.json", '{ "gradient_accumulation_steps": 4, "zero_optimization": { "stage": 2 } }');
  open(
    "run.sh",
    "deepspeed --num_gpus 8 train.py --deepspeed ds.json --per_device_train_batch_size 1 --gradient_accumulation_steps 2\n",
  );
  await told("run.sh");
  expect(await told("ds.json")).toContain("cdr/trainer-deepspeed-mismatch 1");
});

it("is silent about files that are no launch's", async () => {
  open("package.json", '{ "name": "x", "version": "1.0.0" }');
  open("tool.sh", "#!/bin/bash\nif then\n");
  open("notes.yaml", "a: 1\n");
  expect(await told("package.json")).toEqual([]);
  expect(await told("tool.sh")).toEqual([]);
  expect(await told("notes.yaml")).toEqual([]);
});

it("takes back what is no longer wrong", async () => {
  open("ds.json", '{ "train_batch_size": 8, "zero_optimization": { "stge": 2 } }');
  expect(await told("ds.json")).toContain("cdr/deepspeed-key 1");
  pushed = [];
  await client.sendNotification("textDocument/didChange", {
    textDocument: { uri: uriOf("ds.json"), version: 2 },
    contentChanges: [{ text: '{ "train_batch_size": 8, "zero_optimization": { "stage": 2 } }' }],
  });
  expect(await told("ds.json")).not.toContain("cdr/deepspeed-key 1");
});

it("tells of an argument of Megatron and of a key of DeepSpeed", async () => {
  const flag = open("train.sh", script.replace("--tensor-model", "--ten|sor-model").replace(/ \|$/, ""));
  const argument = (await client.sendRequest("textDocument/hover", flag)) as Hover;
  expect((argument.contents as { value: string }).value).toMatch(
    /tensor-model-parallel-size[^]*TP degree[^]*whole number[^]*, 1 by default/,
  );
  const key = open("ds.json", '{ "zero_optimization": { "sta|ge": 2 } }');
  const stage = (await client.sendRequest("textDocument/hover", key)) as Hover;
  expect((stage.contents as { value: string }).value).toMatch(/stage[^]*divides[^]*DeepSpeed/);
});

it("completes names and values", async () => {
  const names = async (name: string, text: string): Promise<readonly string[]> =>
    ((await client.sendRequest("textDocument/completion", open(name, text))) as CompletionItem[]).map(
      ({ label }) => label,
    );
  expect(await names("a.sh", script.replace(" |", " --ckpt-f|"))).toContain("--ckpt-format");
  expect(await names("b.sh", script.replace(" |", " --ckpt-format |"))).toContain("torch_dist");
  expect(await names("c.json", '{ "zero_optimization": { "|" } }')).toEqual(
    expect.arrayContaining(["stage", "overlap_comm", "offload_optimizer"]),
  );
  expect(await names("d.json", '{ "zero_optimization": { "offload_optimizer": { "device": "|" } } }')).toContain(
    "cpu",
  );
  expect(await names("e.sh", "#!/bin/bash\nls --|\n")).toEqual([]);
});

it("offers fixes", async () => {
  open("ds.json", '{ "train_batch_size": 8, "zero_optimization": { "stge": 2 } }');
  await told("ds.json");
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 60 } };
  const actions = (await client.sendRequest("textDocument/codeAction", {
    textDocument: { uri: uriOf("ds.json") },
    range,
    context: { diagnostics: [] },
  })) as CodeAction[];
  expect(JSON.stringify(actions)).toContain("stage");
});

it.each([
  ["args.yaml", "per_device_train_batch_size: 4\nop|tim: adamw_torch\n", /^`optim`\n\nThe optimizer\.\n\n\*a name\*/],
  [
    "args.json",
    '{ "per_device_train_batch_size": 4, "max_|steps": 100 }',
    /Optimizer steps in all.*whole number.*-1/s,
  ],
  ["acc.yaml", "distributed_type: FSDP\nfsdp_config:\n  fsdp_|version: 2\nnum_processes: 8\n", /accelerate \d/],
  [
    "acc.yaml",
    "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_|machines: 2\n",
    /Machines of the/,
  ],
  ["axo.yaml", "base_model: a/b\nmicro_batch_size: 1\nadapter: lora\nsequence_|len: 4096\n", /Axolotl \d/],
  ["lf.yaml", "stage: sft\nfinetuning_type: lora\ntemplate: llama3\ncutoff_|len: 4096\n", /2048.*LLaMA-Factory \d/s],
  ["lf.yaml", "stage: sft\nfinetuning_type: lora\ntemplate: llama3\nwarmup_|steps: 0.1\n", /transformers \d/],
  ["run.sh", "accelerate launch \\\n  --num_proc|esses 8 \\\n  train.py --bf16\n", /Ranks of all machines/],
  ["run.sh", "torchrun --nproc-per-node 8 train.py --output_dir a --lr_scheduler_|type cosine\n", /inverse_sqrt/],
  ["run.sh", "torchrun pretrain_gpt.py --num-layers 2 --micro-batch-size 1 --see|d 3\n", /Megatron-LM/],
])("tells what an option of a trainer is: %s, %s", async (name, text, expected) => {
  const hover = (await client.sendRequest("textDocument/hover", open(name, text))) as Hover | null;
  expect((hover?.contents as { value: string } | undefined)?.value ?? "").toMatch(expected);
});
