/** Files that a Megatron command names: read where they are given or lie beside it, and no strangers. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const run = (more: string): string =>
  `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000 --lr 1e-4 --train-iters 10 ${more}\n`;
const varied =
  "--swiglu --normalization RMSNorm --group-query-attention --num-query-groups 4 --position-embedding-type rope --use-rope-scaling --use-rotary-position-embeddings --heterogeneous-layers-config-path";

const told = (files: Readonly<Record<string, string>>): readonly string[] =>
  toldOf(files).flatMap(({ code, severity, span }) =>
    severity === "error" ? [`${code} ${span.source.text.slice(span.start, span.end)}`] : [],
  );

it.each(["layers.json", "conf/layers.json"])("reads the model of %s", (path) => {
  const of = (model: string) => told({ "run.sh": run(`${varied} ${path}`), [path]: model });
  expect(of('{"hidden_act":"gelu","num_hidden_layers":12,"hidden_size":768}')).toEqual([
    `cdr/megatron-heterogeneous-activation --heterogeneous-layers-config-path ${path}`,
  ]);
  expect(of('{"hidden_act":"silu","num_hidden_layers":24,"hidden_size":768}')).toEqual([
    "cdr/megatron-heterogeneous-sizes --num-layers 12",
  ]);
  expect(of('{"hidden_act":"silu","num_hidden_layers":12,"hidden_size":768}')).toEqual([]);
  expect(told({ "run.sh": run(`${varied} ${path}`) })).toEqual([]);
});

it("takes a file that the command names for no stranger", () => {
  const files = {
    "run.sh": run("--nccl-communicator-config-path groups.yaml"),
    "groups.yaml": "dp:\n  max_ctas: 8\n",
  };
  expect(told(files)).toEqual([]);
  expect(told({ ...files, "run.sh": run("") }).map((each) => each.split(" ")[0])).toEqual(["cdr/foreign-kind"]);
});

it.each([
  ["{ fp8_quantization_recipe: delayed }", ["delayed"]],
  ["{ fp8_quantization_recipe: mxfp8, fp4_quantization_recipe: nvfp4 }", ["fp4_quantization_recipe"]],
  ["{ fp8_quantization_recipe: custom }", ["custom"]],
  ["{ fp8_quantization_recipe: custom, custom_recipe_factory: own.make }", []],
  ["{ fp8_recipe: mxfp8 }", ["fp8_recipe"]],
  ["{}", []],
])("a recipe of single modules: %s", (recipe, places) => {
  const of = (enabled: boolean) =>
    told({
      "run.sh": run("--te-precision-config-file q.yaml"),
      "q.yaml": `matchers:\n  all: { enabled: ${enabled}, type: glob, pattern: "*", config: low }\nconfigs:\n  low: { transformer_engine_config_type: TEQuantizationParams, training_recipe: ${recipe} }\n`,
    });
  expect(of(true)).toEqual(places.map((place) => `cdr/megatron-quantization-file ${place}`));
  expect(of(false)).toEqual([]);
});
