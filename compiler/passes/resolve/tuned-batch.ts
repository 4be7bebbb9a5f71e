/** A batch that is left open where the law that sizes batches does not hold: it is of models that are trained from nothing. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Valued } from "../../../dsl/types/value.ts";
import { batchTuned } from "../../diagnostics/stage.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import { choiceAt, valued } from "./read.ts";

interface Usual {
  /** What the stage does, after "it". */
  readonly does: string;
  readonly samples: readonly number[];
  readonly source: string;
}

const usual = {
  adapters: {
    does: "trains adapters",
    samples: [16, 64],
    source: "QLoRA, arXiv 2305.14314, table 9",
  },
  grpo: { does: "optimises rewards", samples: [1024], source: "DeepSeekMath, arXiv 2402.03300, section 4.2" },
  dpo: { does: "learns preferences", samples: [64], source: "DPO, arXiv 2305.18290, appendix B" },
  begun: {
    does: "continues from trained weights",
    samples: [64, 32, 128],
    source: "Llama 2, arXiv 2307.09288, section 3.1: 64",
  },
} as const satisfies Record<string, Usual>;

function kindOf(stage: Instance, model: Instance): Usual | null {
  const has = (block: Instance, name: string): boolean => {
    const { value } = valued(block, name);
    return value.kind !== "none" && value.kind !== "unknown";
  };
  const objective = choiceAt(stage, "objective")?.name;
  if (objective === "grpo" || objective === "dpo") return usual[objective];
  if (has(stage, "adapters") || has(model, "adapters")) return usual.adapters;
  return objective !== undefined || has(stage, "from") || has(model, "from") || has(stage, "freeze")
    ? usual.begun
    : null;
}

export function tunedBatch(stage: Instance, model: Instance, cluster: ClusterSpec): Diagnostic | null {
  const batch = valued(stage, "batch");
  if (batch.value.kind === "number") return null;
  const kind = kindOf(stage, model);
  if (kind === null) return null;
  const ranks = cluster.nodes * cluster.gpusPerNode;
  const valid = [...new Set(kind.samples.map((samples) => Math.ceil(samples / ranks) * ranks))];
  const [first] = valid;
  const text = `${first} samples`;
  const isWritten = batch.value.kind === "auto" && batch.origin.kind === "written";
  const length: Valued = valued(stage, "length");
  const end = { ...length.span, start: length.span.end };
  return batchTuned(
    isWritten ? batch.span : stage.span,
    { does: kind.does, ranks, source: kind.source },
    {
      valid: valid.toSorted((a, b) => a - b).map((samples) => `${samples} samples`),
      fixes: isWritten
        ? [replacement(batch.span, text)]
        : // What a template says is not this stage's to mend.
          length.span.source.path === stage.span.source.path && length.span.start > stage.span.start
          ? [replacement(end, `, batch = ${text}`, `write \`batch = ${text}\``)]
          : [],
    },
  );
}
