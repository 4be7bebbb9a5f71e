/** What Megatron Bridge saves and loads. */
import { at, entryOf, scalarOf } from "../../documents/located.ts";
import { base, each } from "./bridge.ts";
import { is, unless, unsaid, usesMegatronFsdp } from "./settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

export const bridgeCheckpointRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-checkpoint",
    source: "megatron/bridge/training/config.py: CheckpointConfig.finalize, ConfigContainer.validate",
    why: "Asynchronous saving needs a path, the persistent worker and `torch_dist` or `fsdp_dtensor`; `fsdp_dtensor` belongs to Megatron-FSDP; adapters need a pretrained checkpoint. `ckpt_step` selects one of the checkpoints under `load`. Main weights are taken from the model's own only if those of the optimizer are not loaded. A fully reshardable optimizer cannot be saved in the memory-efficient way.",
    fix: "Write ckpt_format torch_dist with a save path for async_save; a pretrained_checkpoint for adapters; use_megatron_fsdp for fsdp_dtensor; load_optim: false with load_main_params_from_ckpt.",
    check: each((root) => {
      const section = at(root, "checkpoint");
      const [async_, format, step] = [
        at(section, "async_save"),
        scalarOf(at(section, "ckpt_format")) ?? "torch_dist",
        entryOf(section, "ckpt_step"),
      ];
      const found: Found[] = [];
      if (async_ !== undefined && scalarOf(async_) === true) {
        if (at(section, "save") === undefined) found.push({ span: async_.span, message: "async_save needs save" });
        if (!["torch_dist", "fsdp_dtensor"].includes(String(format)))
          found.push({ span: async_.span, message: `async_save cannot write ${String(format)}` });
        if (scalarOf(at(section, "use_persistent_ckpt_worker")) === false)
          found.push({ span: async_.span, message: "async_save needs use_persistent_ckpt_worker" });
      }
      const place = at(section, "ckpt_format");
      if (place !== undefined && format === "fsdp_dtensor" && !usesMegatronFsdp(root))
        found.push({
          span: place.span,
          message: "fsdp_dtensor is the format of Megatron-FSDP, which is off",
          valid: ["torch_dist"],
        });
      if (step !== undefined && scalarOf(step.value) !== null && at(section, "load") === undefined)
        found.push({
          span: step.keySpan,
          message: "ckpt_step needs load",
          fix: "Add checkpoint.load, the folder of the checkpoints, or remove ckpt_step.",
        });
      const masters = { path: "checkpoint.load_main_params_from_ckpt", says: "load_main_params_from_ckpt" };
      if (is(root, masters.path, true))
        found.push(
          ...unless(root, masters, [["checkpoint.load_optim", false]]),
          ...unsaid(root, masters, "checkpoint.load_optim", "false"),
        );
      const thrifty = entryOf(section, "distrib_optim_fully_reshardable_mem_efficient");
      if (
        thrifty !== undefined &&
        is(root, "checkpoint.dist_ckpt_optim_fully_reshardable", true) &&
        scalarOf(thrifty.value) === true
      )
        found.push({
          span: thrifty.keySpan,
          message: "distrib_optim_fully_reshardable_mem_efficient does not work with a fully reshardable optimizer",
          fix: "Remove one of the two.",
        });
      const adapters = entryOf(root, "peft");
      if (
        adapters !== undefined &&
        adapters.value.kind === "map" &&
        at(section, "pretrained_checkpoint") === undefined
      )
        found.push({ span: adapters.keySpan, message: "adapters need checkpoint.pretrained_checkpoint" });
      return found;
    }),
    fires: { "b.yaml": `${base}checkpoint:\n  async_save: true\n  save: out\n  ckpt_format: torch\n` },
    silent: { "b.yaml": `${base}checkpoint:\n  async_save: true\n  save: out\n  ckpt_format: torch_dist\n` },
  }),
  rule({
    name: "bridge-export",
    source: "megatron/bridge/training/config.py: CheckpointConfig.finalize (also_save_hf_checkpoint)",
    why: "A checkpoint in Hugging Face's format is made from the whole weights of a `torch_dist` checkpoint. Those of Megatron-FSDP, and those that stay on a node's disk, are never whole in one place.",
    fix: "Write ckpt_format: torch_dist and non_persistent_ckpt_type: global, or also_save_hf_checkpoint: false.",
    check: each((root) => {
      if (!is(root, "checkpoint.also_save_hf_checkpoint", true)) return [];
      const because = { path: "checkpoint.also_save_hf_checkpoint", says: "also_save_hf_checkpoint" };
      return [
        ...(is(root, "checkpoint.ckpt_format", "fsdp_dtensor")
          ? unless(root, because, [["checkpoint.ckpt_format", "torch_dist"]])
          : []),
        ...(is(root, "checkpoint.non_persistent_ckpt_type", "local")
          ? unless(root, because, [["checkpoint.non_persistent_ckpt_type", "global"]])
          : []),
      ];
    }),
    fires: { "b.yaml": `${base}checkpoint:\n  also_save_hf_checkpoint: true\n  non_persistent_ckpt_type: local\n` },
    silent: { "b.yaml": `${base}checkpoint:\n  also_save_hf_checkpoint: true\n  non_persistent_ckpt_type: global\n` },
  }),
];
