/** Sequence parallelism that a DeepSpeed JSON speaks of, and that its program makes. */
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { at, numberAt } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const config = (more: string): string =>
  `{ "train_micro_batch_size_per_gpu": 2, "sequence_parallel_size": 2${more}, "zero_optimization": { "stage": 2 } }`;
const files = (more: string) => ({
  "ds.json": config(more),
  "run.sh": "deepspeed --num_gpus 8 src/train.py --deepspeed_config ds.json\n",
  "src/train.py": "import deepspeed\nengine = deepspeed.initialize(args=args, model=model)[0]\n",
});

/** The program calls the engine itself, and no word of it makes groups: neither `mpu` nor a mesh, nor arguments that are worked out. */
function makesNoGroups(run: Run, { beside }: Launch): boolean {
  const path = run.program?.text ?? "";
  const text = path.endsWith(".py") ? beside.text(path, run.script.source)?.text : undefined;
  return (
    text !== undefined &&
    /\bdeepspeed\s*\.\s*initialize\s*\(/.test(text) &&
    !/\bmpu\b|mesh|ulysses|sequence_parallel|\*\*\s*\w/i.test(text)
  );
}

export const deepspeedSequenceRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-sequence-groups",
    severity: "warning",
    source: "deepspeed/runtime/config.py: DeepSpeedConfig.__init__ (sequence_parallel_size); __init__.py: initialize",
    why: "The key alone only affects the arithmetic of the batch. The groups that share a sequence come from an `mpu` or a mesh that the program passes, or from `data_parallel_size`: without them every rank still reads its own samples, and the real batch is larger.",
    fix: "Add data_parallel_size, pass the groups to deepspeed.initialize as mpu, or remove sequence_parallel_size.",
    check: (launch) => {
      const run = launch.runs.find((each) => makesNoGroups(each, launch));
      if (run === undefined) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "sequence_parallel_size");
        const size = numberAt(node);
        if (node === undefined || size === null || size <= 1 || at(root, "data_parallel_size") !== undefined)
          return [];
        return [
          {
            span: node.span,
            message: `sequence_parallel_size ${size} divides the batch but no sequence: the program makes no groups for it`,
            ...nearby("the program", run.program?.span),
          },
        ];
      });
    },
    fires: files(""),
    silent: files(', "data_parallel_size": 4'),
  }),
];
