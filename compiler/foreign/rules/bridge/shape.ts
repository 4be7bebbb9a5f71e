/** A model of Megatron Bridge among its ranks: what Megatron demands of the same names on a command line. */
import { at, entryOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { base, each } from "./bridge.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

/** Ways to say which layers a stage has; each makes stages of unlike sizes. */
const uneven = [
  "num_layers_in_first_pipeline_stage",
  "num_layers_in_last_pipeline_stage",
  "account_for_embedding_in_pipeline_split",
  "account_for_loss_in_pipeline_split",
  "pipeline_model_parallel_layout",
  "hybrid_layer_pattern",
  "hybrid_override_pattern",
];

interface Division {
  readonly what: string;
  readonly count: string;
  readonly ranks: string;
  readonly among: string;
  /** Fewer than the ranks will do, where they divide them. */
  readonly fewer?: boolean;
  readonly unless?: readonly string[];
  /** Only where this switch is written so. */
  readonly only?: readonly [name: string, value: boolean];
}

const divisions: readonly Division[] = [
  {
    what: "heads",
    count: "num_attention_heads",
    ranks: "tensor_model_parallel_size",
    among: "tensor-parallel ranks",
  },
  {
    what: "query groups",
    count: "num_query_groups",
    ranks: "tensor_model_parallel_size",
    among: "tensor-parallel ranks",
    fewer: true,
  },
  {
    what: "layers",
    count: "num_layers",
    ranks: "pipeline_model_parallel_size",
    among: "pipeline stages",
    unless: uneven,
  },
  {
    what: "experts",
    count: "num_moe_experts",
    ranks: "expert_model_parallel_size",
    among: "expert-parallel ranks",
  },
  {
    what: "columns of the MLP",
    count: "ffn_hidden_size",
    ranks: "tensor_model_parallel_size",
    among: "tensor-parallel ranks",
  },
  {
    what: "columns of an expert",
    count: "moe_ffn_hidden_size",
    ranks: "expert_tensor_parallel_size",
    among: "expert-tensor-parallel ranks",
  },
  {
    what: "rows of the vocabulary",
    count: "vocab_size",
    ranks: "tensor_model_parallel_size",
    among: "tensor-parallel ranks",
    only: ["should_pad_vocab", false],
  },
  {
    what: "tokens of a sequence",
    count: "seq_length",
    ranks: "tensor_model_parallel_size",
    among: "tensor-parallel ranks",
    only: ["sequence_parallel", true],
  },
];

const isSaid = (model: Located | undefined, name: string): boolean => {
  const value = at(model, name);
  return (
    value !== undefined &&
    value.kind !== "unknown" &&
    !(value.kind === "scalar" && [null, false].includes(value.value as null | false))
  );
};

function undivided(model: Located, division: Division): readonly Found[] {
  const { what, among, fewer, unless = [], only } = division;
  if (only !== undefined && scalarOf(at(model, only[0])) !== only[1]) return [];
  const [count, ranks] = [numberAt(at(model, division.count)), numberAt(at(model, division.ranks))];
  const place = entryOf(model, division.ranks);
  if (count === null || ranks === null || place === undefined || ranks < 1 || count < 1) return [];
  if (count % ranks === 0 || (fewer === true && ranks % count === 0)) return [];
  if (unless.some((name) => isSaid(model, name))) return [];
  const valid = Array.from({ length: count }, (_, index) => index + 1).filter((size) => count % size === 0);
  return [
    {
      span: place.value.span,
      message: `${count} ${what} cannot be divided evenly among ${ranks} ${among}`,
      valid: valid.slice(0, 12).map(String),
      ...nearby(what, at(model, division.count)?.span),
    },
  ];
}

const chunkName = "virtual_pipeline_model_parallel_size";

/** Stages cut once more: each has equally many chunks, and there are stages to begin with. */
function unchunked(root: Located, model: Located): readonly Found[] {
  const place = entryOf(model, chunkName);
  const [layers, stages, chunks] = ["num_layers", "pipeline_model_parallel_size", chunkName].map((name) =>
    numberAt(at(model, name)),
  );
  // NeMo takes one for none (nlp/models/language_modeling/megatron_base_model.py: MegatronBaseModel.__init__).
  const least = at(root, "trainer") === undefined ? 1 : 2;
  if (place === undefined || chunks == null || chunks < least || stages == null) return [];
  const pipeline = nearby("the pipeline", at(model, "pipeline_model_parallel_size")?.span);
  if (stages < 2)
    return [
      {
        span: place.value.span,
        message: `${chunks} virtual stages need at least two pipeline stages`,
        ...pipeline,
      },
    ];
  const each = (layers ?? 0) / stages;
  if (layers == null || !Number.isInteger(each) || each % chunks === 0 || uneven.some((name) => isSaid(model, name)))
    return [];
  const valid = Array.from({ length: each }, (_, index) => index + 1).filter((size) => each % size === 0);
  const message = `${each} layers per stage cannot be divided evenly among ${chunks} virtual stages`;
  return [{ span: place.value.span, message, valid: valid.slice(0, 12).map(String), ...pipeline }];
}

export const bridgeShapeRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-shape",
    source:
      "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__; transformer_block.py: get_num_layers_to_build; tensor_parallel/layers.py: divide; parallel_state.py: initialize_model_parallel",
    why: "Every tensor-parallel rank holds the same number of whole heads, every stage of whole layers, and every expert-parallel rank of whole experts; columns of the MLP, an unpadded vocabulary, sequences that ranks share and the chunks of a stage must divide evenly too. Otherwise building the model stops on every rank.",
    fix: "Choose a size that divides the count; for stages of different sizes use num_layers_in_first_pipeline_stage, num_layers_in_last_pipeline_stage or pipeline_model_parallel_layout.",
    check: each((root) => {
      const model = at(root, "model");
      return model === undefined
        ? []
        : [...divisions.flatMap((division) => undivided(model, division)), ...unchunked(root, model)];
    }),
    fires: { "b.yaml": `${base}  num_attention_heads: 15\n` },
    silent: { "b.yaml": `${base}  num_attention_heads: 16\n` },
  }),
  rule({
    name: "bridge-head-width",
    source: "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (kv_channels)",
    why: "A head is hidden_size / num_attention_heads wide unless kv_channels sets another width.",
    fix: "Use a number of heads that divides hidden_size, or set the width of a head with kv_channels.",
    check: each((root) => {
      const model = at(root, "model");
      const heads = at(model, "num_attention_heads");
      const [count, width] = [numberAt(heads), numberAt(at(model, "hidden_size"))];
      if (heads === undefined || count === null || width === null || count < 1 || width % count === 0) return [];
      if (isSaid(model, "kv_channels")) return [];
      const place = nearby("the width", at(model, "hidden_size")?.span);
      return [
        { span: heads.span, message: `a width of ${width} cannot be divided evenly into ${count} heads`, ...place },
      ];
    }),
    fires: { "b.yaml": `${base}  hidden_size: 1000\n  num_attention_heads: 16\n` },
    silent: { "b.yaml": `${base}  hidden_size: 1000\n  num_attention_heads: 16\n  kv_channels: 64\n` },
  }),
];
