/** What the editor knows inside `raw` blocks, and behind the dot of a plan. `|` is the cursor. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompletionItem, Hover } from "vscode-languageserver-protocol";
import { planFields } from "../../../compiler/kinds/plan-fields.ts";
import { analyzer } from "../../../compiler/lsp/analyze.ts";
import { type Editor, startEditor, trained } from "../../support/editor.ts";

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor();
});
afterAll(() => editor.stop());

let count = 0;
async function complete(text: string): Promise<CompletionItem[]> {
  const { at } = editor.open(`raw${count++}.cdr`, text);
  return (await editor.ask<CompletionItem[] | null>("textDocument/completion", at)) ?? [];
}
const labels = async (text: string) => (await complete(text)).map(({ label }) => label);
async function hover(text: string): Promise<string> {
  const { at } = editor.open(`raw${count++}.cdr`, text);
  return JSON.stringify((await editor.ask<Hover | null>("textDocument/hover", at))?.contents ?? null);
}
const inLaunch = (text: string) => `cluster c { nodes = 1 }\nlaunch l on c {\n  ${text}`;

describe("raw blocks complete", () => {
  it.each([
    ["the engines of a stage", "stage s { raw |", ["deepspeed", "megatron"], ["sbatch"]],
    ["the scheduler of a launch", inLaunch("raw |"), ["sbatch"], ["deepspeed"]],
    ["keys", "stage s { raw deepspeed { |", ["zero_optimization", "steps_per_print"], ["stage", "model"]],
    ["keys of a file that is whole", "stage s {\n  raw deepspeed { | }\n}", ["flops_profiler"], ["import"]],
    ["keys, half written", "stage s { raw deepspeed { zero_|", ["zero_optimization"], []],
    ["quoted keys", 'stage s { raw deepspeed { "|" } }', ["zero_optimization"], []],
    [
      "keys of a section",
      "stage s { raw deepspeed { zero_optimization {\n  |",
      ["overlap_comm", "stage"],
      ["bf16", "zero_optimization"],
    ],
    ["keys of a record", "stage s { raw deepspeed { zero_optimization = { |", ["overlap_comm"], ["bf16"]],
    [
      "keys of a section of a section",
      "stage s { raw deepspeed { zero_optimization { offload_optimizer { |",
      ["device", "nvme_path"],
      ["stage"],
    ],
    ["keys behind a dot", "stage s { raw deepspeed { zero_optimization.|", ["overlap_comm"], ["bf16"]],
    ["keys of a section that nobody has", "stage s { raw deepspeed { nothing { |", [], ["bf16", "model", "import"]],
    ["values", "stage s { raw deepspeed { zero_optimization { overlap_comm = |", ["true", "false"], []],
    ["names", "stage s { raw deepspeed { zero_optimization { offload_optimizer { device = |", ["cpu", "nvme"], []],
    ["arguments", "stage s { raw megatron { |", ["num_layers", "recompute_granularity"], ["zero_optimization"]],
    ["values of arguments", "stage s { raw megatron { recompute_granularity = |", ["full", "selective"], []],
    ["switches", "stage s { raw megatron { use_flash_attn = |", ["true", "false"], []],
    ["options of sbatch", inLaunch("raw sbatch { |"), ["mail_type", "comment"], ["zero_optimization"]],
  ])("%s", async (_, text, wanted, unwanted) => {
    const found = await labels(text);
    expect(found).toEqual(expect.arrayContaining([...wanted]));
    for (const name of unwanted) expect(found).not.toContain(name);
  });

  it("leaves out keys that are written", async () => {
    const found = await labels("stage s { raw deepspeed { steps_per_print = 10, | } }");
    expect(found).not.toContain("steps_per_print");
    expect(found).toContain("wall_clock_breakdown");
  });

  it("tells each key's type and documentation, and inserts a section as one", async () => {
    const found = await complete("stage s { raw deepspeed { |");
    const section = found.find(({ label }) => label === "zero_optimization");
    expect(section?.textEdit?.newText).toBe("zero_optimization { $0 }");
    expect(JSON.stringify(section?.documentation)).toMatch(/divided among data-parallel ranks/);
    expect(found.find(({ label }) => label === "steps_per_print")?.textEdit?.newText).toBe("steps_per_print = $0");
  });
});

describe("raw blocks explain", () => {
  it.each([
    ["a section", "stage s { raw deepspeed { zero_opt|imization { stage = 2 } } }", /divided among/],
    ["a key in it", "stage s { raw deepspeed { zero_optimization { st|age = 2 } } }", /0 divides nothing/],
    ["a key of a record", "stage s { raw deepspeed { zero_optimization = { st|age = 2 } } }", /0 divides nothing/],
    ["a path", "stage s { raw deepspeed { zero_optimization.overlap_|comm = true } }", /while backward goes on/],
    ["a quoted key", 'stage s { raw deepspeed { "steps_per|_print" = 2 } }', /lines of progress/],
    ["an argument", "stage s { raw megatron { num_l|ayers = 2 } }", /--num-layers/],
    ["an argument with hyphens", 'stage s { raw megatron { "num-l|ayers" = 2 } }', /--num-layers/],
    ["an option of sbatch", inLaunch("raw sbatch { mail_ty|pe = END } }"), /--mail-type/],
    ["an option that is refused", inLaunch('raw sbatch { "nod|es" = 4 } }'), /Refused here/],
  ])("%s", async (_, text, said) => {
    expect(await hover(text)).toMatch(said);
  });

  it("says nothing of a key that nobody knows", async () => {
    expect(await hover("stage s { raw deepspeed { nothi|ng = 2 } }")).toBe("null");
    expect(await hover("model m { fam|ily = llama }")).toMatch(/architecture/);
  });
});

describe("what a block derives", () => {
  it.each([
    ["a plan, from outside", "stage s { }\nassert s.plan.|", ["memory", "cost"]],
    ["a plan, from inside", "stage s {\n  assert plan.|", ["memory", "mfu"]],
    ["a plan by its kind", "stage s {\n  assert stage.plan.|", ["memory"]],
    ["memory of a plan", "stage s { }\nassert s.plan.memory.|", ["peak", "host_peak"]],
    ["memory of one's own plan", "stage s {\n  assert plan.memory.|\n}", ["peak"]],
    ["counts of a model", "model m { }\nlet x = m.parameters.|", ["total", "active"]],
    ["in a text", 'model m { }\nlet x = "${m.parameters.|}"', ["total"]],
  ])("completes %s", async (_, text, wanted) => {
    expect(await labels(text)).toEqual(expect.arrayContaining(wanted));
  });

  it("explains each", async () => {
    expect(await hover("stage s { }\nassert s.plan.memory.pe|ak < 80 GB")).toMatch(/peak memory of a device/);
    expect(await hover("stage s {\n  assert pl|an.memory.peak < 80 GB\n}")).toMatch(/estimates/);
    expect(await hover("model m { }\nlet x = m.parameters.act|ive")).toMatch(/one token uses/);
  });

  it("names the fields that there are", () => {
    const analyze = analyzer({ environment: () => undefined, host: () => undefined });
    const { program } = analyze({ path: "main.cdr", text: trained.replace("30 min", "1%") }, () => undefined);
    const stage = program.blocks.find(({ name }) => name === "pretrain");
    const plan = stage?.kind.derived?.["plan"]?.compute(stage);
    const names = (value: typeof plan): unknown =>
      value?.kind === "record"
        ? Object.fromEntries([...value.fields].map(([name, field]) => [name, names(field.value)]))
        : null;
    const told = (fields: typeof planFields): unknown =>
      Object.fromEntries(Object.entries(fields).map(([name, f]) => [name, f.fields ? told(f.fields) : null]));
    expect(names(plan)).toEqual(told(planFields));
  });
});
