/** Requests that no model can meet are told with what stands in the way, on the line that says it. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const told = (model: string, stage = "") => {
  const { diagnostics } = compileText(`import "std/clusters" { dgx_h100 }
data web { from = "c/*.txt", tokenizer = bytes }
model m { ${model}, context = 2048 tokens }
stage s { model = m, data = web, length = 1000 steps, batch = 64 samples, optimizer = adamw(lr = 1e-4), ${stage} }
launch l on dgx_h100 { target = slurm(partition = "g") }`);
  return diagnostics.map(({ code, message, fix, valid }) => ({ code, message, fix, valid }));
};

it.each([
  ["heads = 8, d_model = 1000", "cdr/size-rotary", "head_dim 125 is 125"],
  ["heads = 7, d_model = 2048", "cdr/size-divisibility", "heads = 7 does not divide d_model = 2048"],
  ["heads = 16, kv_heads = 5, d_model = 2048", "cdr/size-divisibility", "kv_heads = 5 does not divide heads = 16"],
])("%s beside a size", (said, code, message) => {
  const [only, ...more] = told(`family = llama, size = auto(total = 1B params), ${said}`);
  expect(more).toEqual([]);
  expect(only?.code).toBe(code);
  expect(only?.message).toContain(message);
});

it("says of a dense family that all its parameters are active", () => {
  const [only] = told("family = llama, size = auto(total = 1B params, active = 500M params)");
  expect(only?.message).toMatch(/: llama has no experts, so all its parameters are active$/);
});

it("says where a property of the shape is written", () => {
  const [only] = told("family = llama, size = auto(total = 7B params, layers = 32)");
  expect(only?.fix).toMatch(/^Write `layers` beside `size`, in the model/);
});

it.each([
  [
    "family = llama, layers = 8, d_model = 1024, heads = 8",
    "moe, core_attn",
    "moe",
    ["core_attn", "layernorm", "mlp"],
  ],
  [
    "family = mixtral, layers = 8, d_model = 1024, heads = 8",
    "mlp",
    "mlp",
    ["core_attn", "layernorm", "moe_act", "moe"],
  ],
  [
    "family = llama, layers = 8, d_model = 1024, heads = 8",
    "mla_up_proj",
    "mla_up_proj",
    ["core_attn", "layernorm", "mlp"],
  ],
])("%s has no module to recompute %s", (model, modules, lacking, valid) => {
  const said = `engine = megatron, layout { recompute = selective(modules = [${modules}]) }`;
  const [only, ...more] = told(model, said);
  expect(more).toEqual([]);
  expect(only?.code).toBe("cdr/layout-detail");
  expect(only?.message).toMatch(new RegExp(`: no layer of this \\w+ has ${lacking}$`));
  expect(only?.valid).toEqual(valid);
});
