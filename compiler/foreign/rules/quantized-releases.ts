/** What older releases of transformers and PEFT cannot do, and newer ones can: asked where a list of packages names the release. */
import { below } from "../../engines/release.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, entryOf, scalarOf } from "../documents/located.ts";
import { packagesOf } from "../known/packages.ts";
import { given } from "../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { withTrainer, yaml } from "./trainer/trainer.ts";
import { zeroStages } from "./zero.ts";

/** The release of a package, where it is known and between two others. */
function releaseIn(
  launch: Launch,
  name: string,
  from: string,
  to: string,
): { readonly version: string; readonly span: Told["span"] } | null {
  const own = packagesOf(launch).get(name);
  return own?.version == null || below(own.version, from) || !below(own.version, to)
    ? null
    : { version: own.version, span: own.span };
}

/** Families whose modules PEFT came to know, by release. Source: peft/utils/constants.py (other.py before 0.8). */
const targets: readonly (readonly [type: string, named: RegExp, since: string])[] = [
  ["mixtral", /mixtral/i, "0.8.0"],
  ["phi", /(?:^|\/)phi-[12]/i, "0.8.0"],
  ["gemma2", /gemma-2-/i, "0.13.0"],
  ["gemma3_text", /gemma-3-(?:270m|1b)/i, "0.16.0"],
  ["gemma", /gemma-(?:2b|7b)/i, "0.9.0"],
  ["qwen2", /qwen-?(?:1\.5|2|2\.5)-(?!.*(?:vl|moe|audio))/i, "0.12.0"],
  ["qwen3", /qwen3-\d+(?:\.\d+)?b(?!-a\d)/i, "0.16.0"],
];

const json = (more: string): string =>
  `{ "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", ${more}"zero_optimization": { "stage": 2 } }`;
const optimizer = '"optimizer": { "type": "AdamW", "params": { "lr": "auto" } }, ';
const lora = "trl sft --model_name_or_path Qwen/Qwen3-8B --dataset_name d --output_dir out --use_peft";

export const quantizedReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "zero3-few-bits-release",
    source:
      "transformers/modeling_utils.py: from_pretrained (is_deepspeed_zero3_enabled() and not is_quantized, from 4.39 on)",
    why: "Before transformers 4.39 ZeRO-3 shards the weights while they are loaded, and bitsandbytes then finds none to quantize: loading fails with shapes that do not match, or is refused.",
    fix: "Install transformers 4.39 or later, or train with ZeRO stage 2.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      const release = releaseIn(launch, "transformers", "4.20", "4.39");
      const third = zeroStages(launch).find(({ stage }) => stage === 3);
      const name = ["load_in_4bit", "load_in_8bit"].find((each) => switchIn(trainer, each) === true);
      const told = name === undefined ? toldIn(trainer, "quantization_bit") : toldIn(trainer, name);
      if (release === null || third === undefined || told === undefined) return [];
      if (name === undefined && numberIn(trainer, "quantization_bit") === null) return [];
      return [
        {
          span: told.nameSpan,
          message: `transformers ${release.version} cannot load ${told.name} under ZeRO-3`,
          ...nearby("stage 3", third.span),
        },
      ];
    }),
    fires: {
      "ds.json": json("").replace("2", "3"),
      "args.yaml": yaml("load_in_4bit: true\ndeepspeed: ds.json\n"),
      "requirements.txt": "transformers==4.38.1\n",
    },
    silent: {
      "ds.json": json("").replace("2", "3"),
      "args.yaml": yaml("load_in_4bit: true\ndeepspeed: ds.json\n"),
      "requirements.txt": "transformers==4.39.0\n",
    },
  }),
  rule({
    name: "trainer-deepspeed-release",
    source:
      "transformers/deepspeed.py, integrations/deepspeed.py: deepspeed_init, deepspeed_optim_sched (4.8 and before; 4.30 to 4.33)",
    why: "Some releases have further requirements on the DeepSpeed JSON: up to 4.8 they offload only with an optimizer of DeepSpeed, and 4.30 to 4.33 accept no optimizer without a scheduler.",
    fix: "Add the section that is missing, or install another release of transformers.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      if (given(trainer, "deepspeed") === undefined) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const own = entryOf(root, "optimizer");
        const paired = releaseIn(launch, "transformers", "4.30", "4.34");
        if (own !== undefined && paired !== null && entryOf(root, "scheduler") === undefined)
          return [
            {
              span: own.keySpan,
              message: `transformers ${paired.version} does not accept an optimizer here without a scheduler`,
              valid: ["scheduler"],
              ...nearby("the release", paired.span),
            },
          ];
        const offload = entryOf(at(root, "zero_optimization"), "offload_optimizer");
        const old = releaseIn(launch, "transformers", "4.4", "4.9");
        const device = scalarOf(at(offload?.value, "device"));
        if (offload === undefined || old === null || own !== undefined || device === "none") return [];
        return [
          {
            span: offload.keySpan,
            message: `transformers ${old.version} offloads only with a DeepSpeed optimizer, but there is none here`,
            valid: ["optimizer"],
            ...nearby("the release", old.span),
          },
        ];
      });
    }),
    fires: {
      "ds.json": json(optimizer),
      "args.yaml": yaml("deepspeed: ds.json\n"),
      "requirements.txt": "transformers==4.30.1\n",
    },
    silent: {
      "ds.json": json(optimizer),
      "args.yaml": yaml("deepspeed: ds.json\n"),
      "requirements.txt": "transformers==4.35.0\n",
    },
  }),
  rule({
    name: "peft-target-modules",
    source:
      "peft/utils/constants.py: TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING, release by release (`Please specify target_modules`)",
    why: "PEFT knows which modules to adapt for some model families, each from a certain release on. For others they must be named, or creating the adapter stops.",
    fix: "Add --lora_target_modules all-linear, or names such as q_proj v_proj; or install a newer PEFT.",
    check: withTrainer((trainer, launch): readonly Found[] => {
      const told = toldIn(trainer, "use_peft");
      if (told === undefined || switchIn(trainer, "use_peft") !== true) return [];
      if (toldIn(trainer, "lora_target_modules", "lora_target_parameters") !== undefined) return [];
      const own = packagesOf(launch).get("peft");
      if (own?.version == null || launch.runs.some(({ open }) => open)) return [];
      const { version } = own;
      const types = documentsOf(launch, "model").map(({ root }) => String(scalarOf(at(root, "model_type"))));
      const name = textIn(trainer, "model_name_or_path") ?? "";
      const family = targets.find(([type, named]) => (types.length > 0 ? types.includes(type) : named.test(name)));
      if (family === undefined || !below(version, family[2])) return [];
      return [
        {
          span: told.nameSpan,
          message: `peft ${version} has no default target_modules for ${family[0]}: they came with ${family[2]}`,
          valid: ["lora_target_modules"],
          ...nearby("the release", own.span),
        },
      ];
    }),
    fires: { "run.sh": `${lora}\n`, "requirements.txt": "peft==0.15.1\n" },
    silent: { "run.sh": `${lora} --lora_target_modules all-linear\n`, "requirements.txt": "peft==0.15.1\n" },
  }),
];
