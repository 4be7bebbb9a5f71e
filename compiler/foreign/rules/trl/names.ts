/** Names that TRL's trainers had in earlier releases. */
import { below } from "../../../engines/release.ts";
import type { Launch, Run } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import { trlTrainers } from "./trainers.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

/** The first release whose trainer refuses the name, and what it is now. Read off TRL 0.9 to 1.9. */
export const trlGone: Readonly<
  Record<string, readonly (readonly [name: string, gone: string, now: string | null])[]>
> = {
  sft: [["max_seq_length", "0.20.0", "max_length"]],
  dpo: [
    ["max_prompt_length", "0.29.0", null],
    ["max_completion_length", "0.29.0", null],
  ],
  grpo: [["max_prompt_length", "0.28.0", null]],
  rloo: [["max_prompt_length", "0.29.0", null]],
};

/** Of the model, whichever trainer it is for. */
const ofModel = [["torch_dtype", "0.27.0", "dtype"]] as const;

/** TRL's own command, or a program of its package: others may add names. */
function trainerOf({ launcher, program, args }: Run): string | undefined {
  if (/(?:^|\/)trl$/.test(launcher.word.text ?? ""))
    return trlTrainers.find((each) => each === args[0]?.text || each === program?.text);
  return /(?:^|[/.])trl[/.]scripts[/.](\w+?)(?:\.py)?$/.exec(program?.text ?? "")?.[1];
}

const isTrainer = (name: string): boolean => trlTrainers.some((each) => each === name);

function gone(launch: Launch): readonly Found[] {
  const { trainer, runs } = launch;
  const own = packagesOf(launch).get("trl");
  const name = runs.map(trainerOf).find((each) => each !== undefined);
  if (trainer === null || own?.version == null || name === undefined || !isTrainer(name)) return [];
  const { version } = own;
  return [...ofModel, ...(Object.hasOwn(trlGone, name) ? (trlGone[name] ?? []) : [])].flatMap(
    ([key, since, now]): readonly Found[] => {
      const told = trainer.get(key);
      if (told === undefined || below(version, since)) return [];
      return [
        {
          span: told.nameSpan,
          message: `TRL ${version} has no ${key} for ${name}${now === null ? "" : `: it is now ${now}`}`,
          ...(now === null ? {} : { valid: [now] }),
          ...nearby("the release", own.span),
        },
      ];
    },
  );
}

const file = "model_name_or_path: m\ndataset_name: d\noutput_dir: out\nper_device_train_batch_size: 4\n";

export const trlNameRules: readonly ForeignRule[] = [
  rule({
    name: "trl-name",
    source:
      "trl/trainer: sft_config.py, dpo_config.py, grpo_config.py, rloo_config.py, model_config.py, release by release",
    why: "TRL refuses an option that its trainer's configuration does not have. Limits on the prompt were removed, since prompts are now truncated before training; max_seq_length became max_length, and torch_dtype dtype.",
    fix: "Remove the option and shorten prompts in the data, or install the release that the file was written for.",
    check: gone,
    fires: {
      "requirements.txt": "trl==0.29.0\n",
      "dpo.yaml": `${file}max_prompt_length: 512\n`,
      "run.sh": "trl dpo --config dpo.yaml\n",
    },
    silent: {
      "requirements.txt": "trl==0.28.0\n",
      "dpo.yaml": `${file}max_prompt_length: 512\n`,
      "run.sh": "trl dpo --config dpo.yaml\n",
    },
  }),
];
