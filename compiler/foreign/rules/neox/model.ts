/** What GPT-NeoX demands of a model, its data and its ZeRO stage. */
import { documentsOf } from "../../launch.ts";
import { at, itemsOf, numberAt, scalarOf, type Entry, type Located } from "../../documents/located.ts";
import { neox } from "./neox.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const neoxNumber = (root: Located, name: string): number | null => numberAt(neox(root, name)?.value);

const unsaved = "pipe-parallel-size: 1\nmodel-parallel-size: 1\ntrain_micro_batch_size_per_gpu: 4\n";
const base = `${unsaved}checkpoint-factor: 100\n`;

const same = (one: string, other: string): boolean => one.split("/").at(-1) === other.split("/").at(-1);

export const neoxModelRules: readonly ForeignRule[] = [
  rule({
    name: "neox-model",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values, calculate_derived",
    why: "The heads must divide the hidden size, and the model-parallel ranks the key-value heads; fewer key-value heads need whole attention; there must be positions for the whole sequence; and the lowest learning rate must be below the highest.",
    fix: "Correct the value in the message: a hidden size that the heads divide, heads that the model-parallel ranks divide, flash or global attention, at least as many positions as the sequence has tokens, min_lr below lr.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const place = (name: string): Found["span"] => neox(root, name)?.value.span ?? root.span;
        const value = (name: string): number | null => neoxNumber(root, name);
        const [hidden, heads, shared, tensor] = [
          value("hidden_size"),
          value("num_attention_heads"),
          value("num_kv_heads"),
          value("model_parallel_size") ?? 1,
        ];
        const [positions, length] = [value("max_position_embeddings"), value("seq_length")];
        const found: Found[] = [];
        const isMamba = kernelsOf(root).some(({ name }) => name === "mamba");
        if (hidden !== null && heads !== null && hidden % heads !== 0 && !isMamba)
          found.push({
            span: place("num_attention_heads"),
            message: `a hidden size of ${hidden} cannot be divided evenly among ${heads} heads`,
            ...nearby("the hidden size", place("hidden_size")),
          });
        if (heads !== null && shared !== null && heads % shared !== 0)
          found.push({
            span: place("num_kv_heads"),
            message: `${heads} heads are not a multiple of ${shared} key-value heads`,
          });
        else if (shared !== null && shared % tensor !== 0)
          found.push({
            span: place("num_kv_heads"),
            message: `${shared} key-value heads cannot be divided evenly among ${tensor} model-parallel ranks`,
          });
        const kernels = shared !== null && heads !== null && shared < heads ? kernelsOf(root) : [];
        for (const each of kernels.filter(({ name }) => name !== "flash" && name !== "global"))
          found.push({
            span: each.span,
            message: `${each.name} attention cannot share ${shared} key-value heads among ${heads} heads`,
            valid: ["flash", "global"],
            ...nearby("the heads of keys", place("num_kv_heads")),
          });
        if (positions !== null && length !== null && positions < length)
          found.push({
            span: place("max_position_embeddings"),
            message: `${positions} positions are fewer than the ${length} tokens of a sequence`,
            ...nearby("the sequence", place("seq_length")),
          });
        const rate = numberAt(at(root, "optimizer", "params", "lr"));
        const least = value("min_lr");
        if (rate !== null && least !== null && least > rate)
          found.push({ span: place("min_lr"), message: `min_lr ${least} is above lr ${rate}` });
        return found;
      }),
    fires: { "neox.yaml": `${base}hidden-size: 100\nnum-attention-heads: 12\n` },
    silent: { "neox.yaml": `${base}hidden-size: 96\nnum-attention-heads: 12\n` },
  }),
  rule({
    name: "neox-save-interval",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values (save)",
    why: "A run that saves needs a schedule: every so many steps, or a list of steps. With only a folder GPT-NeoX stops before it starts.",
    fix: "Add checkpoint-factor or extra-save-iters, or remove save.",
    check: (launch) => {
      const all = documentsOf(launch, "gpt-neox");
      const said = (name: string): readonly Entry[] => all.flatMap(({ root }) => neox(root, name) ?? []);
      const save = said("save").find(({ value }) => typeof scalarOf(value) === "string");
      if (save === undefined) return [];
      // Settings are spread over files: those that name the model and no other are not all.
      const isAll = launch.runs
        .flatMap(({ args }) => args)
        .every(({ text }) => !/\.ya?ml$/.test(text ?? "") || all.some(({ path }) => same(path, text ?? "")));
      const isSaid = ["checkpoint_factor", "extra_save_iters", "save_interval"].some((name) => said(name).length > 0);
      return isSaid || !isAll || said("num_layers").length === 0
        ? []
        : [
            {
              span: save.keySpan,
              message: "save names a folder, but checkpoint-factor is missing",
            },
          ];
    },
    fires: { "neox.yaml": `${unsaved}num-layers: 12\nsave: out\n` },
    silent: { "neox.yaml": `${unsaved}num-layers: 12\nsave: out\ncheckpoint-factor: 100\n` },
  }),
  rule({
    name: "neox-data",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values (data paths)",
    why: "Give either one `data-path`, which is split, or all of `train-`, `valid-` and `test-data-paths`.",
    fix: "Give only data-path, or all three of train-, valid- and test-data-paths.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const names = ["train_data_paths", "valid_data_paths", "test_data_paths"];
        const own = names.flatMap((name) => neox(root, name) ?? []);
        const whole = neox(root, "data_path");
        if (own.length === 0) return [];
        const [first] = own;
        if (whole !== undefined && first !== undefined)
          return [
            {
              span: whole.keySpan,
              message: "data-path is given together with separate data paths",
              ...nearby("those", first.keySpan),
            },
          ];
        const missing = names.filter((name) => neox(root, name) === undefined);
        return missing.length === 0 || first === undefined
          ? []
          : [
              {
                span: first.keySpan,
                message: `${missing.map((name) => name.replaceAll("_", "-")).join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`,
              },
            ];
      }),
    fires: { "neox.yaml": `${base}train-data-paths: [a]\nvalid-data-paths: [b]\n` },
    silent: { "neox.yaml": `${base}train-data-paths: [a]\nvalid-data-paths: [b]\ntest-data-paths: [c]\n` },
  }),
  rule({
    name: "neox-partition",
    source: "deepspeed/runtime/pipe/module.py: PipelineModule._partition_layers",
    why: "The layers of a pipeline are distributed evenly, by their parameters, or by the names of their classes. DeepSpeed accepts the word `profile`, but has never implemented it: it stops when the model is partitioned.",
    fix: "Write uniform, parameters, or type: with a pattern, such as type:transformer.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const node = neox(root, "pipe_partition_method")?.value;
        const method = scalarOf(node);
        if (node === undefined || typeof method !== "string") return [];
        const isKnown = /^(?:uniform|parameters)$|^type:/.test(method.toLowerCase().split("|")[0] ?? "");
        return isKnown
          ? []
          : [
              {
                span: node.span,
                message: `pipelines cannot be partitioned by ${method}`,
                valid: ["uniform", "parameters", "type:REGEX"],
              },
            ];
      }),
    fires: { "neox.yaml": `${base}pipe-partition-method: profile\n` },
    silent: { "neox.yaml": `${base}pipe-partition-method: "type:transformer|mlp"\n` },
  }),
  rule({
    name: "neox-zero",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.validate_values (MoE, Mamba, RWKV)",
    why: "In GPT-NeoX, experts work with ZeRO 0 and 1, and Mamba and RWKV layers with 0 to 2.",
    fix: "Set the ZeRO stage to 1 or 0 for experts, and to 2 or less for Mamba and RWKV.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "zero_optimization", "stage") ?? at(root, "zero-optimization", "stage");
        const stage = numberAt(node);
        const experts = neoxNumber(root, "moe_num_experts") ?? 1;
        const kinds = neox(root, "attention_config");
        const text =
          kinds === undefined
            ? ""
            : kinds.value.span.source.text.slice(kinds.value.span.start, kinds.value.span.end + 40);
        if (node === undefined || stage === null) return [];
        if (experts > 1 && stage >= 2)
          return [
            { span: node.span, message: `${experts} experts need ZeRO 0 or 1, not ${stage}`, valid: ["0", "1"] },
          ];
        const kind = /mamba|rwkv/.exec(text)?.[0];
        return kind !== undefined && stage > 2
          ? [{ span: node.span, message: `${kind} layers need ZeRO 0 to 2`, valid: ["0", "1", "2"] }]
          : [];
      }),
    fires: { "neox.yaml": `${base}moe-num-experts: 8\nzero_optimization:\n  stage: 2\n` },
    silent: { "neox.yaml": `${base}moe-num-experts: 8\nzero_optimization:\n  stage: 1\n` },
  }),
  rule({
    name: "neox-attention",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.calculate_derived (attention_config)",
    why: '`attention-config` lists kinds of attention with the number of layers for each, `[[["flash"], 12]]`; together they must be as many as the model has layers. `all` stands for every layer.',
    fix: 'List as many layers as the model has, or write [[["flash"], "all"]].',
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const [told, layers] = [neox(root, "attention_config"), neox(root, "num_layers")];
        const count = numberAt(layers?.value);
        const parts = itemsOf(told?.value).flatMap((part) => {
          const [kinds, times] = itemsOf(part);
          return [{ kinds: itemsOf(kinds).length, times: scalarOf(times) }];
        });
        if (told === undefined || count === null || parts.length === 0) return [];
        if (parts.some(({ kinds, times }) => kinds === 0 || typeof times !== "number")) return [];
        const all = parts.reduce((sum, { kinds, times }) => sum + kinds * Number(times), 0);
        return all === count
          ? []
          : [
              {
                span: told.keySpan,
                message: `attention-config has ${all} layers, but the model has ${count}`,
                ...nearby("the layers", layers?.value.span),
              },
            ];
      }),
    fires: { "neox.yaml": `${base}num-layers: 12\nattention-config: [[["flash"], 10]]\n` },
    silent: { "neox.yaml": `${base}num-layers: 12\nattention-config: [[["flash"], 12]]\n` },
  }),
];

interface Kernel {
  readonly name: string;
  readonly span: Found["span"];
}

/** What `attention_config` names: a list of kernels, or of pairs of kernels and how many layers have them; `sparsity_config` on its own. */
function kernelsOf(root: Located): readonly Kernel[] {
  const sparse = neox(root, "sparsity_config");
  const own =
    sparse?.value.kind === "map" && sparse.value.entries.length > 0 ? [{ name: "sparse", span: sparse.keySpan }] : [];
  const named = itemsOf(neox(root, "attention_config")?.value).flatMap((item): readonly Kernel[] => {
    const pattern = item.kind === "list" ? item.items[0] : item;
    return (pattern?.kind === "list" ? pattern.items : [pattern]).flatMap((each) => {
      const name = scalarOf(each);
      return each === undefined || typeof name !== "string" ? [] : [{ name, span: each.span }];
    });
  });
  return [...own, ...named];
}
