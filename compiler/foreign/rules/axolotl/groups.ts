/** The samples of one prompt that GRPO compares, and the batch that holds them. */
import { below } from "../../../engines/release.ts";
import { at, entryOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { documentsOf, type World } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const file = (samples: number): string =>
  `base_model: m\nsequence_len: 2048\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nrl: grpo\ntrl:\n  num_generations: ${samples}\ndatasets:\n  - path: d\n    type: a.b\n`;

/** The earliest release whose check was read; TRL itself asks for less. */
const checking = "0.17.0";

function groupsOf(root: Located, world: World): readonly Found[] {
  const told = entryOf(at(root, "trl") ?? root, "num_generations");
  const samples = told === undefined ? null : numberAt(told.value);
  if (scalarOf(at(root, "rl")) !== "grpo" || told === undefined || samples === null) return [];
  const { span } = told.value;
  if (samples < 2)
    return [{ span, message: `GRPO compares the samples of a prompt: ${samples} is too few`, valid: ["2 or more"] }];
  const whole = entryOf(at(root, "trl") ?? root, "generation_batch_size");
  const parts = ["micro_batch_size", "gradient_accumulation_steps"].map((name) => entryOf(root, name));
  const sizes = (whole === undefined ? parts : [whole]).map((entry) =>
    entry === undefined || scalarOf(entry.value) === null ? 1 : numberAt(entry.value),
  );
  if (sizes.includes(null)) return [];
  const batch = sizes.reduce<number>((all, each) => all * (each ?? 1), 1);
  const named =
    whole === undefined
      ? `micro_batch_size x gradient_accumulation_steps = ${batch}`
      : `generation_batch_size ${batch}`;
  const place = nearby("the batch", (whole ?? parts.find((entry) => entry !== undefined))?.value.span);
  if (batch % samples !== 0)
    return [{ span, message: `num_generations ${samples} does not divide ${named}`, ...place }];
  const ranks = world.size ?? 1;
  return batch >= samples * ranks
    ? []
    : [{ span, message: `${named} is less than num_generations ${samples} x ${ranks} ranks`, ...place }];
}

export const axolotlGroupRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-group",
    source: "axolotl/utils/schemas/validation.py: check_grpo_batch_size_divisibility",
    why: "GRPO samples each prompt `num_generations` times and compares the answers. Axolotl refuses a file whose batch, accumulation included, does not hold whole groups, or holds fewer than one for each rank.",
    fix: "Set gradient_accumulation_steps so that micro_batch_size x gradient_accumulation_steps is a multiple of num_generations, and at least num_generations x ranks.",
    check: (launch) => {
      const version = packagesOf(launch).get("axolotl")?.version ?? null;
      if (version !== null && below(version, checking)) return [];
      return documentsOf(launch, "axolotl").flatMap(({ root }) => groupsOf(root, launch.world));
    },
    fires: { "axo.yaml": file(7) },
    silent: { "axo.yaml": file(8) },
  }),
];
