import type { Type } from "../../../dsl/kind.ts";
import { choice, string } from "../../../dsl/types/type.ts";

/** What trains. */
export const engine: Type = choice("engine", {
  torch: { doc: "PyTorch's data parallelism under the trainer of this compiler", parameters: {} },
  deepspeed: { doc: "DeepSpeed's ZeRO under the trainer of this compiler", parameters: {} },
  megatron: {
    doc: "Megatron-LM, by its own programs: models split over ranks by matrices, layers, sequences and experts",
    parameters: {
      version: { type: string, doc: 'the version of Megatron Core: `"0.19"`; the newest known by default' },
      program: {
        type: string,
        doc: "which of its programs, below that folder; `pretrain_gpt.py` by default, `pretrain_hybrid.py` for patterns of layers",
      },
      root: { type: string, doc: "the folder of its programs on the target; MEGATRON_ROOT there by default" },
      python: {
        type: string,
        doc: "an interpreter on the target that has its packages; MEGATRON_PYTHON there, or `python3`, by default",
      },
    },
  },
});
