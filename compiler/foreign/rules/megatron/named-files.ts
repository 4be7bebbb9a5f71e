/** Files that Megatron reads when it builds groups and layers, where they can be read beforehand. */
import { at, entryOf, scalarOf, type Entry, type Located } from "../../documents/located.ts";
import { readYaml } from "../../documents/yaml.ts";
import type { Launch, Run } from "../../launch.ts";
import { isMegatron } from "../../megatron.ts";
import { textOf } from "../../shell/text.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const run = (option: string): string =>
  `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000 --lr 1e-4 --train-iters 10 ${option} conf/file.yaml\n`;

const ofFile = (option: string, check: (root: Located) => readonly Found[]) => (launch: Launch) =>
  launch.runs.filter(isMegatron).flatMap(({ options }: Run): readonly Found[] => {
    const told = options.get(option);
    const source = typeof told?.value === "string" ? launch.beside.text(told.value, told.span.source) : undefined;
    const [root] = source === undefined ? [] : readYaml(textOf(source)).documents;
    return root === undefined
      ? []
      : check(root).map((found) => ({ ...nearby("the file is named here", told?.span), ...found }));
  });

const entriesOf = (node: Located | undefined): readonly Entry[] => (node?.kind === "map" ? node.entries : []);

/** Fields of megatron.core.extensions.transformer_engine.TEQuantizationRecipe. */
const fields = [
  ...["fp8_quantization_recipe", "fp4_quantization_recipe", "custom_recipe_factory", "fp8_format"],
  ...["override_quantized_autocast", "override_nonquantized_autocast", "tp_only_amax_red", "fp8_param", "fp4_param"],
];

function recipe(node: Located): readonly Found[] {
  const unknown = entriesOf(node).filter(({ key }) => !fields.includes(key));
  const [fp8, fp4] = [entryOf(node, "fp8_quantization_recipe"), entryOf(node, "fp4_quantization_recipe")];
  const given = [fp8, fp4].filter((each) => each !== undefined && scalarOf(each.value) !== null);
  const [first, second] = given;
  const isCustom = given.some((each) => scalarOf(each?.value) === "custom");
  const factory = scalarOf(at(node, "custom_recipe_factory")) ?? null;
  return [
    ...unknown.map(({ key, keySpan }) => ({ span: keySpan, message: `a recipe has no field ${key}`, valid: fields })),
    ...(fp8 !== undefined && scalarOf(fp8.value) === "delayed"
      ? [
          {
            span: fp8.value.span,
            message: "a recipe of single modules cannot be delayed",
            valid: ["tensorwise", "mxfp8", "blockwise"],
          },
        ]
      : []),
    ...(first !== undefined && second !== undefined
      ? [{ span: second.keySpan, message: `${first.key} and ${second.key} exclude each other` }]
      : []),
    ...(isCustom && factory === null && first !== undefined
      ? [{ span: first.value.span, message: "a custom recipe needs custom_recipe_factory" }]
      : []),
  ];
}

/** Only what a matcher that is switched on names is read. */
function configurations(root: Located): readonly Found[] {
  const matchers = entriesOf(at(root, "matchers")).filter(({ value }) => scalarOf(at(value, "enabled")) === true);
  const used = new Set(matchers.map(({ value }) => scalarOf(at(value, "config"))));
  return [
    ...matchers.flatMap(matcher),
    ...entriesOf(at(root, "configs"))
      .filter(({ key, value }) => used.has(key) && at(value, "transformer_engine_config_type") !== undefined)
      .flatMap(({ keySpan, value }) => {
        const [training, evaluation] = [at(value, "training_recipe"), at(value, "evaluation_recipe")];
        return training === undefined
          ? [{ span: keySpan, message: "training_recipe is missing" }]
          : [training, ...(evaluation === undefined ? [] : [evaluation])].flatMap(recipe);
      }),
  ];
}

function matcher({ keySpan, value }: Entry): readonly Found[] {
  const type = at(value, "type");
  const missing = ["type", "pattern", "config"].filter((name) => at(value, name) === undefined);
  if (type !== undefined && scalarOf(type) !== "glob")
    return [
      { span: type.span, message: `a matcher is of type glob, not ${String(scalarOf(type))}`, valid: ["glob"] },
    ];
  return missing.map((name) => ({ span: keySpan, message: `the matcher has no ${name}` }));
}

export const megatronNamedFileRules: readonly ForeignRule[] = [
  rule({
    name: "megatron-nccl-file",
    source: "megatron/core/parallel_state.py: get_nccl_options",
    why: "The network of a group of ranks is one of two. Any other name stops every rank when the group is made: `net_name (…) is not supported`.",
    fix: "Write IB or Socket.",
    check: ofFile("nccl_communicator_config_path", (root) =>
      entriesOf(root).flatMap(({ key, value }): readonly Found[] => {
        const name = at(value, "net_name");
        const text = scalarOf(name);
        return name === undefined || typeof text !== "string" || /^(?:ib|socket)$/i.test(text)
          ? []
          : [{ span: name.span, message: `net_name of ${key} is ${text}`, valid: ["IB", "Socket"] }];
      }),
    ),
    fires: { "run.sh": run("--nccl-communicator-config-path"), "conf/file.yaml": "dp:\n  net_name: tcp\n" },
    silent: { "run.sh": run("--nccl-communicator-config-path"), "conf/file.yaml": "dp:\n  net_name: socket\n" },
  }),
  rule({
    name: "megatron-quantization-file",
    source:
      "megatron/core/extensions/transformer_engine.py: TEQuantizationRecipe.parse_from_config, TEQuantizationParams.parse_from_config; megatron/core/quantization/quant_config.py: RecipeConfig._build_matchers",
    why: "The file says which modules compute in which precision. Its matchers are read with the arguments, and the recipe of a module when that is built: an unknown field, delayed scaling, FP8 beside FP4 and a custom recipe without its factory stop the run.",
    fix: "Mend the recipe as the message says, or set `enabled: false` in its matcher.",
    check: ofFile("te_precision_config_file", configurations),
    fires: { "run.sh": run("--te-precision-config-file"), "conf/file.yaml": quantized("delayed") },
    silent: { "run.sh": run("--te-precision-config-file"), "conf/file.yaml": quantized("mxfp8") },
  }),
];

function quantized(name: string): string {
  return `matchers:\n  all: { enabled: true, type: glob, pattern: "*", config: low }\nconfigs:\n  low:\n    transformer_engine_config_type: TEQuantizationParams\n    training_recipe: { fp8_quantization_recipe: ${name} }\n`;
}
