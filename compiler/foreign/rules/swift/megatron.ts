/** What `megatron sft` of ms-swift refuses by itself, before Megatron sees an argument. */
import { below } from "../../../engines/release.ts";
import type { Launch } from "../../launch.ts";
import { programOptions } from "../../commands/options.ts";
import { packagesOf } from "../../known/packages.ts";
import { refusedIn, type ReleasedRefusal } from "../../released-refusals.ts";
import { numberIn, toldIn, type Settings } from "../../settings.ts";
import type { ShellCommand } from "../../shell/state.ts";
import { startsSwiftMegatron } from "../../commands/swift-runs.ts";
import { unwrapped } from "../../commands/unwrap.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

export const swiftMegatronDefaults = { pipeline_model_parallel_size: "1", padding_free: "true" };

/** Read off ms-swift 3.7 to 4.5. */
export const swiftMegatronRefusals: readonly ReleasedRefusal[] = [
  { all: ["recompute_granularity=selective", "recompute_method"], by: "MegatronArguments.__post_init__" },
  {
    all: ["group_by_length", "padding_free!=false"],
    by: "MegatronArguments.__post_init__",
    since: "4.0.1",
  },
  { all: ["async_save", "save_total_limit"], by: "MegatronArguments.__post_init__", since: "4.0.0" },
  ...["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers"].map((name): ReleasedRefusal => ({
    all: [name, "pipeline_model_parallel_size=1"],
    by: "MegatronArguments.__post_init__",
    since: "3.11.0",
  })),
  {
    all: ["freeze_parameters_ratio<1", "pipeline_model_parallel_size!=1"],
    by: "MegatronTunerMixin.__post_init__",
    since: "3.7.0",
  },
];

export interface Started {
  readonly command: ShellCommand;
  readonly settings: Settings;
  readonly open: boolean;
}

/** Commands whose words say everything: a file of arguments may say the rest. */
export function startedIn({ scripts }: Launch): readonly Started[] {
  return scripts.flatMap(({ commands }) =>
    commands.flatMap((command): readonly Started[] => {
      if (!startsSwiftMegatron(command)) return [];
      const [, , ...args] = unwrapped(command.words, () => undefined).words;
      const { settings, open } = programOptions(args);
      return [{ command, settings, open: open || /\.(?:ya?ml|json)$/.test(args[0]?.text ?? "") }];
    }),
  );
}

const command = "NPROC_PER_NODE=8 megatron sft --model m --dataset d.jsonl --save out";

export const swiftMegatronRules: readonly ForeignRule[] = [
  rule({
    name: "swift-megatron-exclusive",
    source: "swift/megatron/arguments/megatron_args.py: __post_init__ of MegatronArguments, MegatronTunerMixin",
    why: "ms-swift checks the arguments for Megatron against each other before it loads anything, and stops at the first pair that cannot be combined.",
    fix: "Remove one of them, or add what the message says is needed.",
    check: (launch) =>
      startedIn(launch).flatMap(({ settings, open }) =>
        refusedIn(
          settings,
          swiftMegatronRefusals,
          { name: "ms-swift", installed: packagesOf(launch).get("ms-swift") },
          { defaults: swiftMegatronDefaults, open },
        ),
      ),
    fires: { "run.sh": `${command} --recompute_granularity selective --recompute_method uniform\n` },
    silent: {
      "run.sh": `${command} --recompute_granularity full --recompute_method uniform --recompute_num_layers 1\n`,
    },
  }),
  rule({
    name: "swift-megatron-kept",
    source: "swift/megatron/arguments/megatron_args.py: MegatronArguments.__post_init__ (from 4.0 on)",
    why: "The best checkpoint and the last one are both kept, so ms-swift refuses to keep fewer than two.",
    fix: "Set --save_total_limit to 2 or more, or remove it.",
    check: (launch) => {
      const installed = packagesOf(launch).get("ms-swift");
      if (installed?.version != null && below(installed.version, "4.0.0")) return [];
      return startedIn(launch).flatMap(({ settings }): readonly Found[] => {
        const [told, kept] = [toldIn(settings, "save_total_limit"), numberIn(settings, "save_total_limit")];
        if (told === undefined || kept === null || kept >= 2) return [];
        return [
          {
            span: told.span,
            message: `save_total_limit ${kept} is below 2`,
            ...nearby("the release", installed?.version == null ? undefined : installed.span),
          },
        ];
      });
    },
    fires: { "run.sh": `${command} --save_total_limit 1\n` },
    silent: { "run.sh": `${command} --save_total_limit 2\n` },
  }),
];
