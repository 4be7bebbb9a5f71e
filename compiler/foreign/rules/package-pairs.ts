/** Releases of DeepSpeed that transformers' Trainer asks for, and those of accelerate that it does not know yet. */
import { below } from "../../engines/release.ts";
import type { Launch } from "../launch.ts";
import { packagesOf } from "../known/packages.ts";
import { given } from "../said.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

interface Pair {
  /** Releases of transformers: from the one, below the other. */
  readonly from: string;
  readonly to: string;
  readonly other: "accelerate" | "deepspeed";
  /** The least release of the other, or the first that is too new. */
  readonly least?: string;
  readonly before?: string;
}

/** Sources: transformers/dependency_versions_table.py and trainer.py of the wheels 4.12 to 4.57. */
const pairs: readonly Pair[] = [
  { from: "4.12", to: "4.14", other: "deepspeed", least: "0.5.3" },
  { from: "4.14", to: "4.17", other: "deepspeed", least: "0.5.7" },
  { from: "4.17", to: "4.20", other: "deepspeed", least: "0.5.9" },
  { from: "4.20", to: "4.28", other: "deepspeed", least: "0.6.5" },
  { from: "4.28", to: "4.33", other: "deepspeed", least: "0.8.3" },
  { from: "4.33", to: "6", other: "deepspeed", least: "0.9.3" },
  // Accelerator(dispatch_batches=…), which accelerate took until 1.0; from 4.40 on a DataLoaderConfiguration says it.
  { from: "4.33", to: "4.40", other: "accelerate", before: "1.0" },
];

function broken(launch: Launch): readonly Found[] {
  const { trainer } = launch;
  const packages = packagesOf(launch);
  const own = packages.get("transformers");
  if (trainer === null || own?.version == null) return [];
  const { version } = own;
  return pairs.flatMap(({ from, to, other, least, before }): readonly Found[] => {
    const its = packages.get(other);
    if (its?.version == null || below(version, from) || !below(version, to)) return [];
    if (other === "deepspeed" && given(trainer, "deepspeed") === undefined && launch.accelerate === null) return [];
    const isOld = least !== undefined && below(its.version, least);
    const isNew = before !== undefined && !below(its.version, before);
    if (!isOld && !isNew) return [];
    return [
      {
        span: its.span,
        message: isOld
          ? `transformers ${version} needs ${other} ${least} or later, not ${its.version}`
          : `transformers ${version} needs ${other} before ${before}, not ${its.version}`,
        valid: [isOld ? `${other}>=${least}` : `${other}<${before}`],
        ...nearby("transformers", own.span),
      },
    ];
  });
}

const run =
  "torchrun --nproc-per-node=2 train.py --output_dir out --per_device_train_batch_size 2 --learning_rate 1e-5\n";

export const packagePairRules: readonly ForeignRule[] = [
  rule({
    name: "package-pair",
    source: "transformers/dependency_versions_table.py; trainer.py: create_accelerator_and_postprocess",
    why: "The Trainer checks the release of DeepSpeed, which pip does not install for it, at its start; and an older Trainer uses names that newer releases have removed: `Accelerator.__init__() got an unexpected keyword argument 'dispatch_batches'`.",
    fix: "Pin the release in `valid`, or another release of transformers.",
    check: broken,
    fires: { "run.sh": run, "requirements.txt": "transformers==4.37.2\naccelerate==1.1.1\n" },
    silent: { "run.sh": run, "requirements.txt": "transformers==4.37.2\naccelerate==0.34.2\n" },
  }),
];
